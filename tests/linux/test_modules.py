# SPDX-License-Identifier: GPL-2.0-only
"""Modules are read out of a guest's memory: of a made guest's, and of a real one's, which tells the same in /proc and /sys."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from emu.ftrace.btf import Btf
from emu.linux.find import kernels
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module, Modules, ModuleState
from emu.linux.sites import functions_of_module, traceable_functions
from emu.linux.symbols import Symbols
from tests.lib.linux_kernel import insert, module_file
from tests.linux.made_guest import MadeGuest

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

BASE = 0xFFFF_FFFF_C020_1000
TEXT, INIT = range(BASE, BASE + 0x1000), range(BASE + 0x8000, BASE + 0x9000)
SYMBOLS = [
    (BASE + 0x40, "t", "second", 1), (0, "U", "printk", 0), (BASE, "t", "first", 1), (BASE + 0x40, "t", "alias_of_second", 1),
    (BASE + 0x80, "t", ".Llabel", 1), (BASE + 0x90, "t", "", 1), (BASE + 0x100, "T", "dr\udcfcck", 1),
    (BASE + 0x2000, "d", "data", 3), (BASE + 0x8000, "t", "at_first", 2),
]  # fmt: skip
SITES = [BASE + 0x44, BASE, BASE + 0x104, BASE + 0x8000]


@pytest.fixture(params=[False, True], ids=["6.1", "6.4"])
def guest(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> MadeGuest:
    return MadeGuest(tmp_path, request.param)


def modules_of(guest: MadeGuest) -> Modules:
    return Modules(guest.memory, guest.symbols, guest.btf)


def test_no_modules(guest: MadeGuest) -> None:
    assert modules_of(guest).loaded() == []


def test_a_module(guest: MadeGuest) -> None:
    orc = bytes(range(8)), bytes(range(12))
    address = guest.module("made", ModuleState.COMING, TEXT, INIT, SYMBOLS, SITES, orc, {"own": b"its own"})
    (found,) = modules_of(guest).loaded()
    assert (found.address, found.name, found.state) == (address, "made", ModuleState.COMING)
    assert (found.text, found.init_text) == (TEXT, INIT)
    named = [(address, kind, name.replace("\udcfc", "\ufffd")) for address, kind, name, section in SYMBOLS if name and section]
    assert list(zip(found.symbols.addresses.tolist(), map(chr, found.symbols.types), found.symbols.names, strict=True)) == named
    assert found.call_sites.tolist() == sorted(SITES)
    assert (found.orc.ip, found.orc.entries, guest.memory.read(found.orc.ip_address, 8)) == (*orc, orc[0])
    assert found.btf == b"its own"


def test_functions_of_a_module(guest: MadeGuest) -> None:
    guest.module("made", ModuleState.COMING, TEXT, INIT, SYMBOLS)
    (found,) = modules_of(guest).loaded()
    names = {0: ("first", 0), 0x3F: ("first", 0x3F), 0x40: ("second", 0), 0x95: ("second", 0x55), 0xFFF: ("dr\ufffdck", 0xEFF)}
    assert {offset: found.at(BASE + offset) for offset in names} == names
    assert found.at(INIT.start + 4) == ("at_first", 4)
    assert [found.at(address) for address in (BASE - 1, BASE + 0x1000, BASE + 0x2000, INIT.stop, 0, 1 << 64)] == [None] * 6


def test_what_is_freed_after_initialisation_is_not_there(guest: MadeGuest) -> None:
    """The module's own BTF is gone then, and its pointer leads to memory of others."""
    guest.module("made", ModuleState.LIVE, TEXT, range(0), SYMBOLS[:-1], SITES, btf={"own": b"others'", "kernel's": b"the copy"})
    (found,) = modules_of(guest).loaded()
    assert (found.init_text, found.call_sites.tolist(), found.btf) == (range(0), sorted(SITES)[:-1], b"the copy")


def test_several_modules(guest: MadeGuest) -> None:
    for name, state in (("a", ModuleState.LIVE), ("b", ModuleState.GOING), ("c", ModuleState.UNFORMED), ("d", ModuleState.LIVE)):
        address = guest.module(name, state, TEXT, range(0), btf={"kernel's": name.encode(), "own": b"x"})
        if state == ModuleState.UNFORMED:
            guest.member(address, "module.kallsyms", 0x1234)
            known = modules_of(guest).read_module(address)
            assert (known.name, known.state, known.text, len(known.symbols.names)) == ("c", state, range(0), 0)
    assert [(found.name, found.state.name, found.btf) for found in modules_of(guest).loaded()] == [
        ("d", "LIVE", b"d"), ("b", "GOING", b"b"), ("a", "LIVE", b"a"),
    ]  # fmt: skip


def test_a_module_about_which_little_is_known(guest: MadeGuest) -> None:
    address = guest.module("made", ModuleState.COMING, TEXT, INIT)
    for member in ("kallsyms", "btf_data", "btf_data_size", "num_ftrace_callsites", "ftrace_callsites", "arch.num_orcs"):
        guest.member(address, f"module.{member}", 0)
    (found,) = modules_of(guest).loaded()
    assert (found.symbols.names, found.call_sites.tolist(), found.orc.ip, found.btf) == ([], [], b"", b"")
    assert found.at(BASE) is None


def test_damage(guest: MadeGuest) -> None:
    address = guest.module("made", ModuleState.LIVE, TEXT, INIT, SYMBOLS, SITES)
    modules = modules_of(guest)
    for member, value in (("state", 4), ("kallsyms", 0x1000), ("num_ftrace_callsites", 0xFFFF_FFFF), ("ftrace_callsites", 8)):
        before = guest.memory.word(address + guest.btf.offset(f"module.{member}"), guest.btf.size(f"module.{member}"))
        guest.member(address, f"module.{member}", value)
        with pytest.raises(LookupError):
            modules.loaded()
        guest.member(address, f"module.{member}", before)
    assert len(modules.loaded()) == 1
    links = address + guest.btf.offset("module.list")
    guest.write(links, links.to_bytes(8, "little"))
    with pytest.raises(LookupError, match="has no end"):
        list(modules._listed(guest.symbols.address("modules") or 0, "module.list"))


# Real ones


def of(machine: LinuxMachine, kernel: Path) -> Modules:
    image = read_kernel(kernel)
    symbols = Symbols(image)
    return Modules(LinuxMemory(machine.board.ram, symbols), symbols, kernel_btf(image))


def test_a_module_before_it_is_initialised_and_after(machine: LinuxMachine, real_kernel: Path, real_symbols: Symbols) -> None:
    modules, place = of(machine, real_kernel), real_symbols.address("do_init_module")
    assert modules.loaded() == [] and place is not None
    before: list[Module] = []
    board = machine.board
    look = board.python_handler(lambda cpu, _: before.append(modules.read_module(cpu.registers()["rdi"])))
    board.callouts.dispatch(place, look)
    try:
        insert(machine, real_kernel, "dummy")
    finally:
        board.callouts.dispatch(place, None)
    (coming,), (live,) = before, modules.loaded()
    assert (coming.name, coming.state, live.name, live.state) == ("dummy", ModuleState.COMING, "dummy", ModuleState.LIVE)
    assert (coming.address, coming.text, coming.btf) == (live.address, live.text, live.btf)
    shown = machine.run("cd /sys/module/dummy/sections; cat .text .init.text; sha256sum < /sys/kernel/btf/dummy").output.split()
    assert [int(shown[0], 16), int(shown[1], 16)] == [live.text.start, coming.init_text.start]
    assert shown[2].decode() == hashlib.sha256(live.btf).hexdigest()
    assert live.init_text == range(0)
    initial = set(coming.call_sites.tolist()) - set(live.call_sites.tolist())
    assert {found and found[0] for found in map(coming.at, initial)} == {"dummy_init_module"}
    listed = machine.run("grep '\\[' /sys/kernel/tracing/available_filter_functions").output.decode().splitlines()
    functions = functions_of_module(live)
    assert functions.listed() == listed and functions.is_valid.all() and not functions.is_init.any()
    assert functions_of_module(coming).is_init.sum() == 1
    assert len(live.orc.ip) // 4 == len(live.orc.entries) // modules._btf.size("orc_entry") > 10


@pytest.mark.long("boots each kernel that is here")
@pytest.mark.usefixtures("no_machines")
@pytest.mark.parametrize("index", range(3))
def test_modules_of_each_kernel(index: int) -> None:
    """Symbols, functions, places and BTF of modules that need each other."""
    if index >= len(kernels()):
        pytest.skip("needs another Linux kernel")
    kernel = kernels()[index].path
    names = ["llc", "stp", "bridge", "br_netfilter", "veth"]
    for name in names:
        module_file(kernel, name)
    with LinuxMachine(kernel=kernel) as machine:
        machine.run("echo 1 > /proc/sys/kernel/kptr_restrict")
        for name in names:
            insert(machine, kernel, name)
        modules = of(machine, kernel)
        found = modules.loaded()
        assert [module.name for module in found] == names[::-1]
        text = machine.run("grep '\\[' /proc/kallsyms").output.decode()
        ours = [
            f"{address:016x} {chr(kind)} {name}\t[{module.name}]"
            for module in found
            for address, kind, name in zip(module.symbols.addresses, module.symbols.types, module.symbols.names, strict=True)
        ]
        # Linux shows what is exported by a capital letter.
        assert [re.sub(r"(?<= )[A-Z](?= )", lambda kind: kind[0].lower(), line) for line in text.splitlines()] == ours
        functions = traceable_functions(read_kernel(kernel), Symbols(read_kernel(kernel))).listed()
        for module in found[::-1]:
            functions += functions_of_module(module).listed()
        assert machine.run("cat /sys/kernel/tracing/available_filter_functions").output.decode().splitlines() == functions
        for module in found:
            assert int(machine.run(f"cat /sys/module/{module.name}/sections/.text").output, 16) == module.text.start
            digest = machine.run(f"sha256sum < /sys/kernel/btf/{module.name}").output.split()[0].decode()
            assert digest == hashlib.sha256(module.btf).hexdigest()
            assert Btf.split(modules._btf, module.btf).offset("task_struct.pid") == modules._btf.offset("task_struct.pid")
