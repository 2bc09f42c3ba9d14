# SPDX-License-Identifier: GPL-2.0-only
"""File systems for the guest's disk, made by the host's e2fsprogs: always with the same bytes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.lib.needs import needs

__all__ = ["make_ext2", "needs_e2fsprogs"]

# e2fsprogs is in these folders, which a user's PATH need not contain.
os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
needs_e2fsprogs = needs("mke2fs", "debugfs", "e2fsck")
_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "MKE2FS_SKIP_CHECK_MSG": "1",
    **dict.fromkeys(("E2FSPROGS_FAKE_TIME", "E2FSCK_TIME"), "1600000000"),
}
_IDENTITY = ("-U", "00000000-0000-0000-0000-000000000001", "-E", "hash_seed=00000000-0000-0000-0000-000000000002")


def make_ext2(path: Path, size: int, options: Sequence[str] = (), content: Sequence[str] = ()) -> None:
    """Makes an image.

    Args:
        path: of the image; an existing file is overwritten.
        size: bytes.
        options: further options of mke2fs.
        content: commands of debugfs that fill it. Link counts are corrected, and folders get their index.
    """
    path.unlink(missing_ok=True)
    _run("mke2fs", "-q", "-F", "-t", "ext2", *_IDENTITY, *options, str(path), f"{size >> 10}k")
    if content:
        _run("debugfs", "-w", "-f", "/dev/stdin", str(path), commands="\n".join(content))
        _run("e2fsck", "-fyD", str(path), worst=1)


def _run(*command: str, commands: str = "", worst: int = 0) -> None:
    done = subprocess.run(command, input=commands, env=_ENVIRONMENT, capture_output=True, text=True)
    if done.returncode > worst:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
