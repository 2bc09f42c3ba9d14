# SPDX-License-Identifier: GPL-2.0-only
"""gdb takes each architecture's description for what it is."""

from __future__ import annotations

import re

from emu.gdb.arch import load
from tests.gdb.test_gdb import gdb
from tests.lib.booted_machine import booted_machine
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")


def test_gdb_knows_the_registers(arch: str) -> None:
    described = load(arch)
    with booted_machine(arch) as machine:
        said = gdb(machine, "show architecture", "info registers all", "info threads", "p $pc == $" + described.counters[0])
    assert "rejected" not in said and "Remote communication error" not in said and f'"{described.name}"' in said
    shown = set(re.findall(r"^(\w+) +\S", said, re.MULTILINE))
    assert {register.name for register in described.registers} <= shown | {"Id"}
    assert "$1 = 1" in said
