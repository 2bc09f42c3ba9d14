# SPDX-License-Identifier: GPL-2.0-only
"""A host folder that is shared with the guest, and how."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Self

__all__ = ["Share"]


@dataclass(frozen=True)
class Share:
    """A host folder that is mounted in the guest at `guest`; None: at /mnt/NAME, with the folder's name."""

    directory: Path
    guest: str | None = None
    writable: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses `DIR[:GUESTDIR][:rw]`.

        >>> Share.parse("src:/usr/src:rw")
        Share(directory=PosixPath('src'), guest='/usr/src', writable=True)

        Raises:
            ValueError: DIR is missing.
        """
        *words, mode = text.split(":") if text.endswith((":rw", ":ro")) else (*text.split(":"), "")
        guest = words.pop() if len(words) > 1 and words[-1].startswith("/") else None
        directory = ":".join(words)
        if not directory:
            raise ValueError(f"cannot share '{text}': it names no folder")
        return cls(Path(directory), guest, mode == "rw")

    @property
    def mount_point(self) -> str:
        """Its path in the guest."""
        return self.guest or f"/mnt/{self.directory.resolve().name or 'host'}"

    def mounting(self, name: str) -> str:
        """A line for the guest's shell, which mounts the tree served as `name`."""
        where = shlex.quote(self.mount_point)
        return f"mkdir -p -- {where} && mount -t hostfs -o {'rw' if self.writable else 'ro'} {name} {where}"
