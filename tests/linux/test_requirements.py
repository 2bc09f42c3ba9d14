# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel lacks is said, one line for each option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emu.linux.requirements import missing
from emu.linux.symbols import Symbols
from tests.linux.made_kernels import TEXT, kallsyms, kernel_with

pytestmark = pytest.mark.usefixtures("cache", "boot")

SYMBOLS = {
    "CONFIG_ACPI": "acpi_boot_init",
    "CONFIG_SERIAL_8250_CONSOLE": "univ8250_console_init",
    "CONFIG_BLK_DEV_INITRD": "unpack_to_rootfs",
    "CONFIG_BINFMT_ELF": "init_elf_binfmt",
    "CONFIG_BINFMT_SCRIPT": "init_script_binfmt",
    "CONFIG_PROC_FS": "proc_root_init",
    "CONFIG_SYSFS": "sysfs_init",
    "CONFIG_DEVTMPFS": "devtmpfs_init",
    "CONFIG_UNIX98_PTYS": "ptmx_open",
}


def lacking(folder: Path, *options: str) -> list[str]:
    names = [*(name for option, name in SYMBOLS.items() if option not in options), *(f"other_{n}" for n in range(600))]
    symbols = [(TEXT + 16 * n, "t", name) for n, name in enumerate(names)]
    return missing(Symbols(kernel_with(kallsyms(symbols, "6.4", b""), folder)))


def test_a_kernel_that_has_everything(tmp_path: Path) -> None:
    assert lacking(tmp_path) == []


@pytest.mark.parametrize("option", SYMBOLS)
def test_one_option_is_off(option: str, tmp_path: Path) -> None:
    (line,) = lacking(tmp_path, option)
    assert line.startswith(f"{option}: ")


def test_several_are_off(tmp_path: Path) -> None:
    assert lacking(tmp_path, "CONFIG_ACPI", "CONFIG_PROC_FS") == [
        "CONFIG_ACPI: the kernel finds the board's CPUs and devices by it",
        "CONFIG_PROC_FS: init mounts /proc",
    ]


def test_a_real_kernel_lacks_what_its_configuration_lacks(real_kernel: Path, real_symbols: Symbols) -> None:
    configuration = real_kernel.with_name(real_kernel.name.replace("vmlinuz", "config")).read_text()
    off = {option for option in SYMBOLS if not re.search(f"^{option}=y$", configuration, re.MULTILINE)}
    assert {line.split(":")[0] for line in missing(real_symbols)} == off
