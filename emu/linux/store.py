# SPDX-License-Identifier: GPL-2.0-only
"""The machines that are kept on disk, so that they need not boot again.

    ~/.cache/emu/machines/5d3a1ae6e08a7b2d0f63fb6bd2ec2e1f.machine

A file's name is a digest of everything that a booted machine depends on. When all of them take more than a limit, those go that
were used longest ago.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from emu.linux.saved import BadMachine, build, read_header
from emu.native.cache import cache_directory

__all__ = ["MOST", "Kept", "described", "kept", "machine_file", "prune", "used"]

MOST = 4 << 30  # bytes
_SUFFIX = ".machine"


class Kept(NamedTuple):
    """A file with a machine: its size in bytes, and when it was used last, in seconds since 1970."""

    path: Path
    size: int
    used: float


def _directory() -> Path | None:
    root = cache_directory()
    return root / "machines" if root else None


def machine_file(made_from: dict[str, object]) -> Path | None:
    """Where a machine that is made from this is kept; None if there is no home directory."""
    text = json.dumps([build(), made_from], sort_keys=True)
    root = _directory()
    return root / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}{_SUFFIX}" if root else None


def kept() -> list[Kept]:
    """All machines, the one used last first."""
    root, found = _directory(), []
    for path in root.glob(f"*{_SUFFIX}*") if root else ():
        with suppress(OSError):
            status = path.stat()
            found.append(Kept(path, status.st_size, status.st_mtime))
    return sorted(found, key=lambda one: (-one.used, one.path.name))


def described(path: Path) -> str:
    """What a file's machine is: kernel, CPUs, memory, seed, and the kernel's parameters; or what is wrong with the file."""
    try:
        config = read_header(path)["extra"]["config"]
    except (BadMachine, OSError, KeyError, TypeError) as error:
        return f"{path.name}: {error.strerror if isinstance(error, OSError) else 'unusable'}"
    kernel = str(config["kernel"]).rpartition("/")[2]
    root = "".join(f", {name} {config[name]}" for name in ("rootfs", "initrd") if config[name])
    words = f", {config['command_line']}" if config["command_line"] else ""
    return f"{kernel}, {config['cpus']} CPUs, {config['memory'] >> 20} MiB, seed {config['seed']}{root}{words}"


def used(path: Path) -> None:
    """Notes that a machine is used now."""
    with suppress(OSError):
        os.utime(path)


def prune(most: int = MOST) -> list[Kept]:
    """Removes machines until the others take at most `most` bytes. Returns what was removed."""
    removed, total = [], 0
    for one in kept():
        total += one.size
        if total > most:
            with suppress(OSError):
                one.path.unlink()
                removed.append(one)
    return removed
