# SPDX-License-Identifier: GPL-2.0-only
"""Lines of the guest's events: the data they need from the view, and events that cannot be printed."""

from __future__ import annotations

import gc
import re
import struct
import weakref
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from emu import Machine
from emu.ftrace.event.call import EventCall, EventKind, Field
from emu.ftrace.text import TraceView, render_events, render_trace
from emu.ftrace.text.pointer_hash import keyed_hash
from tests.ftrace.text.golden import Recording

_POINTER = Field("void *", "ptr", 8, 8, False, 8)
_STRING = Field("const char *", "name", 8, 8, False, 8)
_SWITCHES = r"sched_switch: prev_comm=\S+ prev_pid=\d+ prev_prio=120 prev_state=\S+ ==> next_comm=\S+ next_pid=\d+ next_prio=120"


def _call(print_fmt: str, *fields: Field, kind: EventKind = EventKind.TRACEPOINT, name: str = "event") -> EventCall:
    return EventCall("test", name, 300, fields, print_fmt, max(field.offset + field.size for field in fields), kind)


def _view(call: EventCall, entries: Sequence[bytes], **more: Any) -> TraceView:
    """A view of entries, given without their common fields."""
    recording = Recording()
    recording.calls = {300: call}
    for number, entry in enumerate(entries):
        data = struct.pack("=HBBi", 300, 0, 0, number) + entry
        assert recording.buffers[0].write(number, data + bytes(-len(data) % 4))
    return recording.view("nop", ("nocontext-info", "hash-ptr"), **more)


def _lines(view: TraceView) -> list[str]:
    return "".join(render_events(view)).splitlines()


def test_events_of_the_same_fields_have_the_same_text() -> None:
    call = _call(
        '"%d %s", REC->n, __get_str(name)', Field("int", "n", 8, 4, True), Field("__data_loc char[]", "name", 12, 4, True)
    )
    entries = [
        struct.pack("=iI", n, (len(name) + 1) << 16 | 16) + name + b"\0" for n, name in ((1, b"a"), (-1, b"longer"), (1, b"a"))
    ]
    assert _lines(_view(call, entries)) == ["event: 1 a", "event: -1 longer", "event: 1 a"]


def test_an_entry_that_is_too_short_ends_in_zeros() -> None:
    call = _call('"%x %lx", REC->a, REC->b', Field("u32", "a", 8, 4, False), Field("u64", "b", 16, 8, False))
    assert _lines(_view(call, [b"\x12\0\0\0"])) == ["event: 12 0"]


# Pointers


def test_a_pointers_text_is_the_kernels() -> None:
    view = _view(_call('"%s", REC->name', _STRING), [struct.pack("=Q", at) for at in (0x1000, 0, 0x2000)])
    known = replace(view, string_at={0x1000: "rcu_preempt"}.get)
    assert _lines(known) == ["event: rcu_preempt", "event: (null)", "event: (0x2000)[UNSAFE-MEMORY]"]


def test_an_address_is_hidden_by_a_key() -> None:
    view = _view(_call('"%p", REC->ptr', _POINTER), [struct.pack("=Q", at) for at in (0xFFFF888000001000, 0xFFFF888000001008)])
    first, second = lines = _lines(view)
    assert all(re.fullmatch("event: 0{8}[0-9a-f]{8}", line) for line in lines)
    assert first != second
    assert _lines(view) == lines
    assert _lines(replace(view, hash_pointer=partial(keyed_hash, 1)))[0] not in lines
    shown = replace(view, options={**view.options, "hash-ptr": False})
    assert _lines(shown) == ["event: ffff888000001000", "event: ffff888000001008"]


@pytest.mark.parametrize("value", [0, (1 << 64) - 1, (1 << 64) - 4095])
def test_what_is_no_address_is_not_hidden(value: int) -> None:
    assert _lines(_view(_call('"%p", REC->ptr', _POINTER), [struct.pack("=Q", value)])) == [f"event: {value:016x}"]


# Errors


def test_an_event_without_a_usable_print_fmt_shows_its_fields_and_warns_once() -> None:
    fields = (
        Field("int", "n", 8, 4, True),
        Field("char[4]", "comm", 12, 4, True),
        Field("__data_loc u8[]", "data", 16, 4, False),
        Field("struct pair", "pair", 20, 3, False),
    )
    warnings: list[str] = []
    view = _view(
        _call('"%d", SOME_ENUM', *fields), [struct.pack("=i4sI3sx2s", -1, b"sh", 900 << 16 | 24, b"\1\2\3", b"\4\5")] * 3
    )
    view = replace(view, warn=warnings.append)
    line = "[event: n=0xffffffff comm=73 68 00 00 data=04 05 00 00 pair=01 02 03]"
    assert _lines(view) == [line] * 3
    assert _lines(view) == [line] * 3
    assert len(warnings) == 1
    assert "test:event" in warnings[0]
    assert "SOME_ENUM" in warnings[0]


@pytest.mark.parametrize("print_fmt", ['"%d", REC->n', '"%d", SOME_ENUM'])
def test_an_event_that_is_gone_is_forgotten(print_fmt: str) -> None:
    view = _view(_call(print_fmt, Field("int", "n", 8, 4, True)), [bytes(4)])
    assert _lines(view)
    gone = weakref.ref(view.calls[300])
    del view
    gc.collect()
    assert gone() is None


# System calls


def test_system_calls() -> None:
    fields = [
        Field("int", "__syscall_nr", 8, 4, True),
        Field("unsigned int", "fd", 16, 8, False),
        Field("char *", "buf", 24, 8, False),
    ]
    enter = _call("", *fields, kind=EventKind.SYSCALL_ENTER, name="sys_enter_read")
    view = _view(enter, [struct.pack("=qQQ", 0, (1 << 64) - 1, 0x1000)])
    assert _lines(view) == ["sys_read(fd: ffffffffffffffff, buf: 1000)"]
    with_types = replace(view, options={**view.options, "verbose": True})
    assert _lines(with_types) == ["sys_read(unsigned int fd: ffffffffffffffff, char * buf: 1000)"]
    no_arguments = _call("", fields[0], kind=EventKind.SYSCALL_ENTER, name="sys_enter_getpid")
    assert _lines(_view(no_arguments, [bytes(8)])) == ["sys_getpid()"]
    result = _call("", fields[0], Field("long", "ret", 16, 8, True), kind=EventKind.SYSCALL_EXIT, name="sys_exit_read")
    returned = [struct.pack("=qq", 0, value) for value in (0, 5, -4)]
    assert _lines(_view(result, returned)) == ["sys_read -> 0x0", "sys_read -> 0x5", "sys_read -> 0xfffffffffffffffc"]


# In a machine


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_switches_among_other_events(machine: Machine, tracer: str) -> None:
    array = machine.trace_array
    switch = next(call for call in array.recorder.globals.events.values() if call.path == "sched:sched_switch")
    array.set_tracer(tracer)
    array.enable_events([switch], True)
    try:
        machine.run("ls / | sed s/a/b/")
    finally:
        array.enable_events([switch], False)
        text = "".join(render_trace(array.trace_view(None)))
        array.set_tracer("nop")
    switches = [line for line in text.splitlines() if "sched_switch" in line and "prev_comm" in line]
    before = r" \d\) {15}\|  (?:  )*/\* " if tracer == "function_graph" else r" *\S+-\d+ +\[00[01]\] d..2. +\d+\.\d{6}: "
    after = r" \*/" if tracer == "function_graph" else ""
    assert len(switches) > 3
    for line in switches:
        assert re.fullmatch(before + _SWITCHES + after, line)
