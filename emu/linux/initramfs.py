# SPDX-License-Identifier: GPL-2.0-only
"""The initramfs of a machine: emu's own init and busybox, then what the user has given."""

from __future__ import annotations

from pathlib import Path

from emu.installation import image_directory
from emu.kernel.userland import BadUserland, find_busybox
from emu.linux import arch
from emu.linux.config import LinuxConfig
from emu.linux.root import base, initrd_of, tree_of

__all__ = ["initramfs_of"]

_INIT = "linux-init"
_ALIGNMENT = 4  # bytes, between archives


def initramfs_of(config: LinuxConfig) -> bytes:
    """Archives that the kernel unpacks one after the other; a later file takes an earlier one's place.

    Raises:
        BadRoot: the initrd or the tree cannot be used.
        BadUserland: there is no busybox, and nothing else has a shell.
    """
    initrd = b"" if config.initrd is None else initrd_of(Path(config.initrd))
    tree = b"" if config.rootfs is None else tree_of(Path(config.rootfs))
    archives = (base(*_own_programs(config)), initrd, tree)
    return b"".join(archive + bytes(-len(archive) % _ALIGNMENT) for archive in archives)


def _own_programs(config: LinuxConfig) -> tuple[bytes, bytes | None]:
    """The init; and busybox, unless there is a tree, which has its own shell."""
    init = (image_directory(arch.IMAGES) / _INIT).read_bytes()
    if config.rootfs is not None:
        return init, None
    try:
        return init, find_busybox(arch.IMAGES, arch.ELF_MACHINE_NAME).read_bytes()
    except BadUserland:
        if config.initrd is None:
            raise
        return init, None
