# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel must have been built with, to boot on the emulator's board and run an init from its initramfs."""

from __future__ import annotations

from collections.abc import Mapping

from emu.linux.symbols import Symbols

__all__ = ["missing"]

# A function that exists exactly when an option is on, the option, and what for. An option that is a module is as good as off:
# nothing has been loaded when it is needed. The functions are initcalls or the like, which compilers neither inline nor rename.
_NEEDED: Mapping[str, tuple[str, str]] = {
    "acpi_boot_init": ("CONFIG_ACPI", "the kernel finds the board's CPUs and devices by it"),
    "univ8250_console_init": ("CONFIG_SERIAL_8250_CONSOLE", "the board's console is an 8250"),
    "unpack_to_rootfs": ("CONFIG_BLK_DEV_INITRD", "the first program comes from an initramfs"),
    "init_elf_binfmt": ("CONFIG_BINFMT_ELF", "programs are ELF files"),
    "init_script_binfmt": ("CONFIG_BINFMT_SCRIPT", "scripts begin with #!"),
    "proc_root_init": ("CONFIG_PROC_FS", "init mounts /proc"),
    "sysfs_init": ("CONFIG_SYSFS", "init mounts /sys"),
    "devtmpfs_init": ("CONFIG_DEVTMPFS", "it makes the files in /dev"),
    "ptmx_open": ("CONFIG_UNIX98_PTYS", "commands of a terminal run on one"),
}


def missing(symbols: Symbols) -> list[str]:
    """A line for each option that the kernel lacks: "CONFIG_ACPI: the kernel finds the board's CPUs and devices by it"."""
    return [f"{option}: {why}" for symbol, (option, why) in _NEEDED.items() if symbols.address(symbol) is None]
