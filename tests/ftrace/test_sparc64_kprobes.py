# SPDX-License-Identifier: GPL-2.0-only
"""What kprobes see and change on SPARC V9, whose functions have windows, and call sites and delay slots of their own kind."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import pytest

from emu.cpu.cpu import Cpu
from emu.ftrace.native.trace_records import Consumer, EventContext
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_TRACERS = ("nop", "function_graph")

Registers = Mapping[str, int]
Act = Callable[[Cpu, EventContext, Registers], Registers | None]


@contextmanager
def probed(machine: Machine, acts: Mapping[ProbePlace, Act]) -> Iterator[None]:
    """Calls act(cpu, event_context, registers) when a CPU reaches a place. It returns the registers to change."""
    names, globals_records = machine.ftrace.arch.probing().registers.names, machine.trace_array.recorder.globals.records
    told, records = globals_records.event_context, []
    for place, act in acts.items():

        def handler(cpu: Cpu, _: int, act: Act = act) -> None:
            words = globals_records.registers
            if fill := told.fill:
                _HANDLER(fill)(cpu.record.address, told.address)
            for name, value in (act(cpu, told, {name: int(words[word]) for name, word in names.items()}) or {}).items():
                words[names[name]] = value
                told.written = True

        record = Consumer.allocate()
        record.handler = machine.board.python_handler(handler)
        machine.ftrace.kprobes.add(place, record)
        records.append(record)
    machine.ftrace.update_sites()
    machine.settle()
    yield
    for record in records:
        machine.ftrace.kprobes.remove(record)
    machine.ftrace.update_sites()
    machine.settle()


def address(machine: Machine, name: str) -> int:
    return machine.kernel.image.symbol(name)


def site(machine: Machine, name: str) -> int:
    """The offset of a function's call site."""
    begin = address(machine, name)
    return min(found - begin for found in machine.kernel.image.sites.tolist() if found >= begin)


@pytest.mark.parametrize("tracer", _TRACERS)
def test_a_function_s_registers_before_and_behind_its_window(tracer: str) -> None:
    """At its beginning, at its call site, and at breakpoints: in the delay slot of the site, and behind that."""
    with booted_machine("sparc64") as machine:
        at_site = site(machine, "ksys_read")
        machine.tracefs.write("current_tracer", tracer)
        seen: list[tuple[int, Registers]] = []

        def note(offset: int, cpu: Cpu, told: EventContext, values: Registers) -> None:
            seen.append((offset, values))

        places = (0, at_site, at_site + 4, at_site + 8)
        with probed(machine, {ProbePlace("ksys_read", offset): partial(note, offset) for offset in places}):
            machine.run("cat /proc/version")
        in_turn = [at_site + 4, 0, at_site, at_site + 8]  # the delay slot comes before the target of the site
        assert [offset for offset, _ in seen] == in_turn * (len(seen) // 4) and len(seen) >= 8
        for n in range(0, len(seen), 4):
            inside = seen[n : n + 4]
            _, before = inside.pop(1)
            assert before["pc"] == address(machine, "ksys_read") and before["tnpc"] == before["pc"] + 4
            for offset, values in inside:
                assert values["pc"] == before["pc"] + offset
                for m in (0, 1, 2, 6, 7) if tracer != "function_graph" or offset == at_site else (0, 1, 2, 6):
                    assert values[f"i{m}"] == before[f"o{m}"]
                assert values["fp"] == before["sp"] > values["sp"]
                assert values["g6"] == before["g6"]
            assert before["o1"] in range(1, 1 << 43) and before["o2"] in range(1, 1 << 20)  # a program's memory, and its size


@pytest.mark.parametrize("tracer", _TRACERS)
@pytest.mark.parametrize("behind", [None, 0, 4, 8])
def test_a_function_goes_on_with_changed_registers(tracer: str, behind: int | None) -> None:
    """Changed at the function's beginning, or `behind` bytes behind its call site."""
    with booted_machine("sparc64") as machine:
        machine.tracefs.write("current_tracer", tracer)
        place = ProbePlace("vfs_write", 0 if behind is None else site(machine, "vfs_write") + behind)
        count = "o2" if behind is None else "i2"
        counts = []

        def shorten(cpu: Cpu, told: EventContext, values: Registers) -> Registers | None:
            counts.append(values[count])
            return {count: 3} if values[count] == 7 else None

        with probed(machine, {place: shorten}):
            machine.run("printf abcdefg > /written")
        assert counts.count(7) == 1
        assert machine.run("cat /written").output == b"abcdefg"
        assert counts[counts.index(7) + 1] == 4  # the C library writes the rest


@pytest.mark.parametrize("tracer", _TRACERS)
@pytest.mark.parametrize("behind", [None, 0, 8])
def test_a_function_goes_on_elsewhere(tracer: str, behind: int | None) -> None:
    """At the beginning of another function, at its call site, or in its delay slot, which makes the result 0."""
    with booted_machine("sparc64") as machine:
        machine.tracefs.write("current_tracer", tracer)
        offset = 0 if behind is None else site(machine, "sys_getpid") + behind
        elsewhere = {"pc": address(machine, "sys_getuid") + min(offset, site(machine, "sys_getuid") + 4)}
        with probed(machine, {ProbePlace("sys_getpid", offset): lambda cpu, told, values: elsewhere}):
            assert machine.run("getpid").output == b"0\n"
        assert int(machine.run("getpid").output) > 1


def test_arguments_are_those_of_the_call_although_the_function_changes_them_before_its_site_calls() -> None:
    """start_thread() does so with its third argument, in the delay slot of its call site."""
    with booted_machine("sparc64") as machine:
        machine.tracefs.write("kprobe_events", "p:called start_thread sp=$arg3\np:changed start_thread+12 sp=%i2\n")
        machine.tracefs.write("events/kprobes/enable", "1")
        machine.run("true", trace=True)
        found = dict(re.findall(r" (called|changed): .* sp=(\w+)", machine.tracefs.read("trace")))
        called, changed = (int(found[name], 16) for name in ("called", "changed"))
        assert called % 16 == 0 and changed == called - 0x87F
        assert machine.run("grep start_thread /sys/kernel/debug/kprobes/list").output.count(b"FTRACE") == 0
        machine.tracefs.write("events/kprobes/enable", "0")
        machine.tracefs.write("kprobe_events", "r:back start_thread")  # return probes use the site
        machine.tracefs.write("events/kprobes/enable", "1")
        assert b"[FTRACE]" in machine.run("grep start_thread /sys/kernel/debug/kprobes/list").output
