# SPDX-License-Identifier: GPL-2.0-only
"""Sites change under running CPUs: no crash, no wrong result, and errors are rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Synchronise, Write
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.tracer_switches import switch_under_load, text_bytes

NOP, CALL = bytes.fromhex("0f1f440000"), bytes.fromhex("e8d23a0000")


def test_the_breakpoint_protocol_is_head_tail_head() -> None:
    assert PROTOCOLS["breakpoint"]([Patch(0x1000, NOP, CALL)], b"\xcc") == [
        Write(0x1000, NOP[:1], b"\xcc"),
        Synchronise(),
        Write(0x1001, NOP[1:], CALL[1:]),
        Synchronise(),
        Write(0x1000, b"\xcc", CALL[:1]),
        Synchronise(),
    ]


def test_stop_machine_writes_while_all_cpus_wait() -> None:
    steps = PROTOCOLS["stop_machine"]([Patch(0x1000, NOP, CALL), Patch(0x2000, CALL, NOP)], b"\xcc")
    assert steps == [Park(), Write(0x1000, NOP, CALL), Write(0x2000, CALL, NOP), Release()]


def test_flush_writes_and_then_has_every_cpu_flush() -> None:
    old, new = bytes.fromhex("01000000"), bytes.fromhex("40001234")
    assert PROTOCOLS["flush"]([Patch(0x1000, old, new)], b"") == [Write(0x1000, old, new), Synchronise()]


def test_a_protocol_that_the_architecture_does_not_have_is_refused(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        missing = next(name for name in PROTOCOLS if name not in machine.ftrace.arch.protocols)
        with pytest.raises(ValueError, match=rf"{arch} has no patching protocol '{missing}' \(it has: .*stop_machine\)"):
            machine.patching.protocol = missing


def test_a_cpu_that_does_not_flush_runs_the_old_code(arch: str, protocol: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.patching.protocol = protocol

        def calls() -> list[int]:
            """How many calls of one function each CPU records while both call it."""
            before = [ring.entries for ring in machine.trace_array.recorder.rings]
            machine.run("busy 4 1")
            return [ring.entries - old for ring, old in zip(machine.trace_array.recorder.rings, before, strict=True)]

        machine.tracefs.write("set_ftrace_filter", "__might_resched")
        for _ in range(8):
            calls()  # both CPUs have translated the function in every state in which they call it
        machine.patching.deaf_cpus = {1}
        machine.tracefs.write("current_tracer", "function")
        heard, deaf = calls()
        assert heard > 10 and deaf == 0
        machine.patching.deaf_cpus = set()
        machine.tracefs.write("current_tracer", "nop")
        machine.tracefs.write("current_tracer", "function")
        heard, deaf = calls()
        assert heard > 10 and deaf > 10


def test_switches_under_load(arch: str, protocol: str) -> None:
    with booted_machine(arch, cpus=4) as machine:
        machine.patching.protocol = protocol
        hits = switch_under_load(machine, "busy 6 1", 21)
        if protocol == "breakpoint":
            assert hits[-1] > 10 and len(set(hits)) > 5  # breakpoints were hit, in many of the switches
        else:
            assert hits[-1] == 0


@pytest.mark.parametrize("damaged_byte", [0, 3])
def test_a_site_that_was_changed_behind_our_back_stops_tracing_and_not_the_guest(
    arch: str, protocol: str, damaged_byte: int
) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.patching.protocol = protocol
        site = int(machine.ftrace.sites.addresses[len(machine.ftrace.sites) // 2])
        place = machine.kernel.memory.physical(site) + damaged_byte
        good = text_bytes(machine)
        machine.board.write_code(place, b"\x90")
        damaged = text_bytes(machine)
        machine.tracefs.write("current_tracer", "function")
        assert text_bytes(machine) == damaged  # every other site is unchanged
        assert len(machine.warnings) == 1
        assert "ftrace failed to modify" in machine.warnings[0]
        machine.board.write_code(place, good[place - machine.kernel.memory.physical(machine.kernel.image.symbol("_text")) :][:1])
        assert machine.run("echo alive").output == b"alive\n"
        assert machine.tracefs.read("trace").count("\n") < 20


def held_bytes(machine: Machine, patches: Sequence[Patch]) -> list[bytes]:
    """Performs a protocol under load, one step at a time. Returns the successive contents of the first place."""
    driver, first = machine.patching, patches[0]

    def code() -> bytes:
        return machine.kernel.memory.read(first.address, len(first.old))

    over: list[bool] = []
    held = [code()]
    machine.run("busy 6 50 > /dev/null &")
    driver.held = True
    driver.start(patches, lambda: over.append(True))
    while driver.busy:
        left = driver.steps
        machine.advance(50_000)
        assert (driver.steps, code(), over) == (left, held[-1], [])  # time alone performs no step
        driver.step()
        if code() != held[-1]:
            held.append(code())
        machine.advance(50_000)
        assert not driver.awaited
    assert over == [True]
    driver.held = False
    return held


def call_patch(machine: Machine, function: str) -> Patch:
    """A patch from the nop at a function's site to a call of ftrace_caller."""
    address, arch = machine.site(function).address, machine.ftrace.arch
    return Patch(address, arch.nop, arch.call(address, machine.kernel.image.symbol("ftrace_caller")))


def test_a_held_protocol_performs_a_step_when_it_is_told_to_also_on_its_way_back(arch: str, protocol: str) -> None:
    with booted_machine(arch, cpus=2, patching=protocol) as machine:
        first, second = call_patch(machine, "vfs_read"), call_patch(machine, "vfs_write")
        half = [b"\xcc" + first.old[1:], b"\xcc" + first.new[1:]]
        if protocol == "breakpoint":
            there, back = half, half[:1]
        else:
            there, back = [], [first.new, *(half[::-1] if machine.ftrace.arch.breakpoint else [])]
        wrong = replace(second, old=second.old[:-1] + b"\x01")
        assert held_bytes(machine, [first, wrong]) == [first.old, *there, *back, first.old]
        assert len(machine.warnings) == 1 and "ftrace failed to modify" in machine.warnings[0]
        assert machine.site("vfs_write").state == "nop"
        assert held_bytes(machine, [first, second]) == [first.old, *there, first.new]
        assert len(machine.warnings) == 1


def test_cpus_execute_what_is_there_while_a_place_that_is_not_as_expected_has_a_breakpoint(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        patch = call_patch(machine, "scheduler_tick")
        held_bytes(machine, [patch])
        hits = machine.patching.breakpoints_hit
        held_bytes(machine, [Patch(patch.address, patch.new[:-1] + b"\x01", patch.old)])
        assert len(machine.warnings) == 1 and "ftrace failed to modify" in machine.warnings[0]
        assert machine.site("scheduler_tick").state == "call ftrace_caller"
        assert machine.patching.breakpoints_hit > hits or machine.ftrace.arch.breakpoint is None


def test_a_breakpoint_that_is_not_ours_is_the_guests(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        assert machine.run("fault bp").status == 128 + 5  # SIGTRAP


def test_filters_select_the_sites_that_are_patched(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_*")
        machine.tracefs.append("set_ftrace_filter", "*_open")
        machine.tracefs.write("set_ftrace_notrace", "vfs_write")
        machine.tracefs.write("current_tracer", "function")
        enabled = {line.split()[0] for line in machine.tracefs.read("enabled_functions").splitlines()}
        assert "vfs_read" in enabled and "vfs_open" in enabled
        assert "vfs_write" not in enabled
        assert all(name.startswith("vfs_") or name.endswith("_open") for name in enabled)
        machine.run("cat /init > /dev/null")
        names = {line.split(": ")[1].split(" <-")[0] for line in machine.tracefs.read("trace").splitlines() if "<-" in line}
        assert "vfs_read" in names
        assert names <= enabled
