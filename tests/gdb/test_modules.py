# SPDX-License-Identifier: GPL-2.0-only
"""gdb knows the functions of modules of emu's own kernel from their initialisation on."""

from __future__ import annotations

import re

import pytest

from emu.installation import image_directory
from tests.lib.booted_machine import booted_machine
from tests.lib.gdb_client import gdb
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")

LINUX = "monitor abi linux", "unset tdesc filename", "set osabi GNU/Linux"


@pytest.mark.parametrize(
    "arch, abi",
    [("x86_64", ()), ("x86_64", LINUX), ("sparc64", ()), ("riscv64", ())],
    ids=["x86_64", "x86_64 as of Linux", "sparc64", "riscv64"],
)
def test_a_breakpoint_in_a_module_that_is_loaded_later(arch: str, abi: tuple[str, ...]) -> None:
    """gdb takes the ABI for GNU/Linux's on SPARC V9, and where it is told so: lists of libraries have another form then."""
    with booted_machine(arch) as machine:
        said = gdb(
            machine, image_directory(arch) / "vmlinux", *abi, "break kprobe_init", "continue", "backtrace 3",
            "info sharedlibrary", "delete", "continue", "info sharedlibrary", "break do_init_module", "reverse-continue",
            "info sharedlibrary", command="modprobe kprobe_example symbol=vfs_read; rmmod kprobe_example",
        )  # fmt: skip
    assert "Breakpoint 1 (kprobe_init) pending." in said
    callers = re.findall(r"^#\d .* in (\w+) \(", said, re.MULTILINE)
    assert callers == ["kprobe_init", "do_one_initcall", "do_init_module"]
    listed = re.findall(r"^0xf\w+ +0xf\w+ .*/(kprobe_example\S+)$|^(No shared libraries)", said, re.MULTILINE)
    names = [name or other for name, other in listed]
    both = ["kprobe_example.init.ko", "kprobe_example.ko"]
    assert (sorted(names[:2]), names[2], sorted(names[3:])) == (both, "No shared libraries", both)
