# SPDX-License-Identifier: GPL-2.0-only
"""gdb knows the functions of modules of emu's own kernel from their initialisation on."""

from __future__ import annotations

import re

from emu.installation import image_directory
from tests.lib.booted_machine import booted_machine
from tests.lib.gdb_client import gdb
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")


def test_a_breakpoint_in_a_module_that_is_loaded_later() -> None:
    with booted_machine("x86_64") as machine:
        said = gdb(
            machine, image_directory("x86_64") / "vmlinux", "break ftrace_direct_init", "continue", "backtrace 3",
            "info sharedlibrary", "delete", "continue", "info sharedlibrary", "break do_init_module", "reverse-continue",
            "info sharedlibrary", command="modprobe ftrace-direct; rmmod ftrace-direct",
        )  # fmt: skip
    assert "Breakpoint 1 (ftrace_direct_init) pending." in said
    callers = re.findall(r"^#\d .* in (\w+) \(", said, re.MULTILINE)
    assert callers == ["ftrace_direct_init", "do_one_initcall", "do_init_module"]
    listed = re.findall(r"^0xf\w+ +0xf\w+ .*/(ftrace_direct\S+)$|^(No shared libraries)", said, re.MULTILINE)
    names = [name or other for name, other in listed]
    both = ["ftrace_direct.init.ko", "ftrace_direct.ko"]
    assert (sorted(names[:2]), names[2], sorted(names[3:])) == (both, "No shared libraries", both)
