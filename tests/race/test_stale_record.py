# SPDX-License-Identifier: GPL-2.0-only
"""The row 2008-stale-record with a module that is really unloaded: the memory of its call sites becomes another module's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from emu.ftrace.sites.patching import Patch, Step, Synchronise, Write
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine


def another_function_at_a_record(machine: Machine) -> int:
    """Unloads a module of whose site there is a record, and loads another one at that place. Returns the site's address."""
    records = set()
    for other in ("race_lab", "sample_timer", "event_cost", "preemptirq_delay_test", "sample_kprobes", "sample_bug"):
        assert machine.run("modprobe sample_wakeup").status == 0
        records.add(machine.site("sample_wakeup_exit").address)
        # Several, because it depends on the sizes of files which place the allocator gives next.
        for command in ("rmmod sample_wakeup", f"modprobe {other}", f"rmmod {other}", "modprobe sample_events"):
            assert machine.run(command).status == 0
        with pytest.raises(LookupError):
            machine.site("sample_wakeup_exit")
        for record in records:
            if machine.kernel.symbols.describe(record).startswith("sample_round+"):
                return record
        machine.run("rmmod sample_events")
    raise AssertionError("the two modules are never at the same place")


def traced(machine: Machine, record: int) -> None:
    """Makes the site of the record call a tracer, and lets the other module execute the function there."""
    arch = machine.ftrace.arch
    call = arch.call(record, machine.kernel.image.symbol("ftrace_caller"))
    machine.patching.start([Patch(record, arch.nop, call)], lambda: None)
    machine.advance(200_000)
    machine.tracefs.write("events/sample_events/enable", "1")
    machine.run("echo 1 > /sys/module/sample_events/parameters/rounds")


def test_a_write_without_a_look_destroys_what_is_there_now() -> None:
    with booted_machine("x86_64", cpus=2) as machine:
        record = another_function_at_a_record(machine)

        def blind(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
            there = [machine.kernel.memory.read(patch.address, len(patch.new)) for patch in patches]
            return [*(Write(p.address, held, p.new) for p, held in zip(patches, there, strict=True)), Synchronise()]

        machine.patching.protocol = blind
        traced(machine, record)
        (oops,) = machine.warnings
        assert oops.startswith("guest oops") and "rounds_set+" in oops, "called from the other module's function"


def test_the_shipped_protocols_look_and_give_up() -> None:
    with booted_machine("x86_64", cpus=2) as machine:
        record = another_function_at_a_record(machine)
        before = machine.kernel.memory.read(record, 5)
        traced(machine, record)
        assert machine.kernel.memory.read(record, 5) == before
        (warning,) = machine.warnings
        assert warning.startswith("ftrace failed to modify")
        assert machine.run("rmmod sample_events; echo alive").output == b"alive\n"
