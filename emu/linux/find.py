# SPDX-License-Identifier: GPL-2.0-only
"""Finds the kernels that can be booted: those in /boot, and those that `emu linux fetch` has brought.

What was fetched is in one folder for each version, with the places that the files have in the packages:

    ~/.cache/emu/linux/kernels/6.12.118-cloud/boot/vmlinuz-6.12.118-cloud
    ~/.cache/emu/linux/kernels/6.12.118-cloud/lib/modules/6.12.118-cloud/
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from emu.linux.image import BadKernel, read_version
from emu.native.cache import cache_directory

__all__ = ["Found", "NoKernel", "find_kernel", "kernels", "kernels_directory", "version_order"]

BOOT = Path("/boot")
_PREFIX = "vmlinuz-"
_SUFFIX = re.compile(r"(?:\.[A-Za-z~][A-Za-z0-9~]*)*$")


class NoKernel(ValueError):
    """There is no kernel to boot. The message is one line."""


class Found(NamedTuple):
    """Attributes:
    path: of the bzImage.
    version: what `uname -r` prints.
    origin: "installed" for /boot, "fetched" otherwise.
    """

    path: Path
    version: str
    origin: str


def kernels_directory() -> Path | None:
    """The folder of what was fetched; None if there is no home directory."""
    root = cache_directory()
    return root / "linux" / "kernels" if root else None


def find_kernel(text: str | None) -> Path:
    """The file that `text` names; for None, the newest of /boot, or otherwise the newest that was fetched.

    Raises:
        NoKernel: there is none.
    """
    if text is not None:
        return Path(text)
    if found := kernels():
        return found[0].path
    why = next((f" ({path} cannot be read)" for path in _newest_first(BOOT.glob(f"{_PREFIX}*")) if _is_closed(path)), "")
    raise NoKernel(f"there is no Linux kernel{why}: give a file with --linux=FILE, or run 'emu linux fetch'")


def kernels() -> list[Found]:
    """All kernels for this architecture that can be read. The default comes first."""
    fetched = kernels_directory()
    places = [
        ("installed", BOOT.glob(f"{_PREFIX}*")),
        ("fetched", fetched.glob(f"*/boot/{_PREFIX}*") if fetched else ()),
    ]
    return [found for origin, paths in places for path in _newest_first(paths) if (found := _found(path, origin)) is not None]


def _found(path: Path, origin: str) -> Found | None:
    try:
        version = read_version(path)
    except (BadKernel, OSError):
        return None
    return Found(path, version.split(" ", 1)[0] or path.name.removeprefix(_PREFIX), origin)


def _is_closed(path: Path) -> bool:
    try:
        path.open("rb").close()
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: version_order(path.name), reverse=True)


def version_order(text: str) -> tuple[object, ...]:
    """A key that sorts versions as `sort -V` does: 6.9 before 6.10. A file's suffix counts only if all else is equal."""
    return _parts(_SUFFIX.sub("", text)), _parts(text)


def _parts(text: str) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Pairs of what is no number, and a number. At its end, a text is less than one with a letter, more than one with a tilde."""
    return tuple(
        ((*(_rank(character) for character in other), 0), int(digits or 0))
        for other, digits in re.findall(r"([^0-9]*)([0-9]*)", text)
    )


def _rank(character: str) -> int:
    if character == "~":
        return -1
    return ord(character) if character.isascii() and character.isalpha() else ord(character) + 256
