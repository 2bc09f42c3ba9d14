# SPDX-License-Identifier: GPL-2.0-only
"""The requirements of mounting on the host, and the errors if they are not met."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["OWN", "UNMOUNT", "CannotMount", "check", "own_tree"]

OWN = ".emu"  # the folder in a mounted tree for files that are not in tracefs (see own_files)
UNMOUNT = "fusermount3"
_DEVICE = Path("/dev/fuse")


class CannotMount(Exception):
    """The host lacks something, or the folder cannot be a mount point. The message is one line that says what is needed."""


def check(directory: Path) -> None:
    """Raises CannotMount if a tree cannot be mounted at a folder."""
    if not directory.exists():
        raise CannotMount(f"{directory}: there is no such folder")
    if not directory.is_dir():
        raise CannotMount(f"{directory}: is not a folder")
    if os.path.ismount(directory):
        raise CannotMount(f"{directory}: something is mounted there")
    if not _DEVICE.exists():
        raise CannotMount(f"{_DEVICE} is missing: the host's kernel has no FUSE (`modprobe fuse`), or keeps it from a container")
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        raise CannotMount(f"{_DEVICE} cannot be opened by this user: it needs read and write permission for all, as on Debian")
    if shutil.which(UNMOUNT) is None:
        raise CannotMount(f"{UNMOUNT} is missing: on Debian it is in the package fuse3")
    try:
        import mfusepy  # noqa: F401
    except ImportError:
        raise CannotMount("the Python package mfusepy is missing: `pip install emu[mount]` brings it") from None
    except (OSError, AttributeError) as error:
        raise CannotMount(f"libfuse is missing or too old ({error}): on Debian it is in the package libfuse3-3") from None


def own_tree(directory: Path) -> Path:
    """The folder with the additional files of a mounted tree.

    Raises:
        CannotMount: no tree is mounted there.
    """
    own = directory / OWN
    if not (own / "run").exists():
        raise CannotMount(f"{directory}: no machine is mounted there: `emu mount {directory}` does that")
    return own
