# SPDX-License-Identifier: GPL-2.0-only
"""Perfetto's packets, parsed with the package perfetto and compared event by event with the trace's columns."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from emu.trace import Trace
from emu.trace.convert import ConvertOptions
from emu.trace.convert.perfetto.messages import MESSAGES
from emu.trace.convert.perfetto.wire import integer
from emu.trace.selection import Selection
from tests.lib.trace_dat import event_id
from tests.trace.convert.conftest import A, converted, trace_of


def packets(trace: Trace, options: ConvertOptions | None = None) -> Any:
    return protos.Trace.FromString(converted(trace, "pftrace", options)).packet


def by_cpu(trace: Trace, options: ConvertOptions | None = None) -> Iterator[tuple[int, Any, dict[int, str]]]:
    """The events of the packets in order, each with its CPU and the symbols known at that point."""
    symbols: dict[int, str] = {}
    for packet in packets(trace, options):
        symbols.update({symbol.iid: symbol.str.decode() for symbol in packet.interned_data.kernel_symbols})
        for event in packet.ftrace_events.event:
            yield packet.ftrace_events.cpu, event, symbols


def expected(trace: Trace, path: str) -> list[tuple[int, int, int, dict[str, Any]]]:
    """CPU, time, task and fields of a trace's events of one type; functions by name."""
    table = trace[path]
    columns = [table[name].tolist() for name in ("common_cpu", "common_time", "common_pid")]
    fields = [field.name for field in table.call.fields]
    for name in fields:
        values = table[name].tolist()
        if name == "func" or (path == "ftrace:function" and name in ("ip", "parent_ip")):
            values = [trace.symbols.name_of(value) for value in values]
        columns.append(values)
    return [(cpu, time, pid, dict(zip(fields, row, strict=True))) for cpu, time, pid, *row in zip(*columns, strict=True)]


def decoded(event: Any, symbols: dict[int, str]) -> tuple[str, dict[str, Any]]:
    """The name and the fields of one of Perfetto's events."""
    name = event.WhichOneof("event")
    message = getattr(event, name)
    if name == "generic":
        return message.event_name, {one.name: getattr(one, one.WhichOneof("value")) for one in message.field}
    found = {field.name: list(value) if field.is_repeated else value for field, value in message.ListFields()}
    if "func" in found:
        found["func"] = symbols[found["func"]]
    return name, found


def same(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether each field has the same value; arrays shown as one text, and messages, are compared elsewhere."""
    return all(theirs[name] == value for name, value in mine.items() if name != "buf" and not _is_text_of(value, theirs[name]))


def _is_text_of(value: Any, text: Any) -> bool:
    return isinstance(value, list) and isinstance(text, str)


def check(trace: Trace) -> None:
    times: dict[int, int] = {}
    paths = {path.partition(":")[2]: path for path in trace.events}
    left: dict[tuple[str, int], list[tuple[int, int, dict[str, Any]]]] = {}  # by type and CPU, the last one first
    for path in trace.events:
        for cpu, *rest in reversed(expected(trace, path)):
            left.setdefault((path, cpu), []).append((*rest,))
    for cpu, event, symbols in by_cpu(trace):
        name, theirs = decoded(event, symbols)
        time, pid, mine = left[paths[name], cpu].pop()
        assert (event.timestamp, event.pid) == (time, pid)
        assert theirs.keys() == mine.keys(), name
        assert same(mine, theirs), (name, mine, theirs)
        assert event.timestamp >= times.get(cpu, 0)
        times[cpu] = event.timestamp
    assert left and not any(left.values())


def test_events_of_a_machine(trace: Trace) -> None:
    check(trace)
    names = {event.WhichOneof("event") for _, event, _ in by_cpu(trace)}
    assert {"funcgraph_entry", "sched_switch", "sys_enter", "softirq_entry", "generic"} <= names


def test_a_message_and_a_stack_of_a_machine(trace: Trace) -> None:
    events = [decoded(event, symbols) for _, event, symbols in by_cpu(trace)]
    assert [fields["buf"].rstrip("\n") for name, fields in events if name == "print"] == ['said "so", and more']
    stacks = [fields["caller"] for name, fields in events if name == "kernel_stack"]
    assert stacks and all((" <- " in stack and "fork" in stack) or "clone" in stack for stack in stacks)


def test_events_of_a_real_linux(linux_trace: Trace) -> None:
    if "syscalls:sys_enter_read" not in list(linux_trace.events):
        check(linux_trace)
        return
    enters = [event for _, event, _ in by_cpu(linux_trace) if event.HasField("sys_enter")]
    reads = [list(event.sys_enter.args) for event in enters if event.sys_enter.id == 0]
    table = linux_trace["syscalls:sys_enter_read"]
    assert reads == np.stack([table[name].astype(np.uint64) for name in ("fd", "buf", "count")], axis=1).tolist()
    exits = [(event.timestamp, event.sys_exit.ret) for _, event, _ in by_cpu(linux_trace) if event.sys_exit.id == 0]
    read = linux_trace["syscalls:sys_exit_read"]
    assert [pair for pair in exits if pair[0] in read["time"]] == list(zip(read["time"], read["ret"], strict=True))
    assert sum(1 for _ in by_cpu(linux_trace)) == len(linux_trace)


def test_tasks_and_the_machine_are_named(trace: Trace) -> None:
    head, attributes, tree = packets(trace)[:3]
    names = {thread.tid: thread.name for thread in tree.process_tree.threads}
    assert names == trace.tasks.comms
    assert {process.pid: process.cmdline[0] for process in tree.process_tree.processes} == names
    assert head.system_info.num_cpus == 2 and head.sequence_flags == 1
    said = {one.key: one.string_value for one in attributes.trace_attributes.attribute}
    assert said["emu.clock"] == "local"


@pytest.mark.parametrize("path", MESSAGES)
def test_numbers_of_messages_are_perfettos(path: str) -> None:
    message = MESSAGES[path]
    field = protos.FtraceEvent.DESCRIPTOR.fields_by_number[message.number]
    assert field.name == path.partition(":")[2]
    texts = {"comm", "prev_comm", "next_comm", "name", "filename", "parent_comm", "child_comm", "oldcomm", "newcomm", "buf"}
    for name, number in message.fields.items():
        one = field.message_type.fields_by_number[number]
        assert one.name == name
        assert (one.type == FieldDescriptor.TYPE_STRING) == (name in texts)


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_integers(value: int) -> None:
    event = protos.FtraceEvent.FromString(b"\x08" + integer(value))
    assert event.timestamp == value


SWITCH = "<HBBi16siiq16sii"


@pytest.mark.parametrize("order", "<>")
def test_numbers_that_are_negative_and_texts_that_are_no_utf_8(tmp_path: Path, order: str) -> None:
    number = event_id("sched", "sched_switch")
    layout = SWITCH.replace("<", order)
    entry = struct.pack(layout, number, 0, 0, 5, b"\xff\xfex", 5, -3, -(1 << 63), b"next", -1, 120)
    [(cpu, event, _)] = by_cpu(trace_of(tmp_path, [(10, entry)], order=order))
    switch = event.sched_switch
    assert (cpu, event.timestamp, event.pid, switch.prev_prio, switch.next_pid) == (0, 10, 5, -3, -1)
    assert (switch.prev_comm, switch.prev_state, switch.next_comm) == ("\ufffd\ufffdx", -(1 << 63), "next")


def test_a_bundle_after_a_loss_says_so(tmp_path: Path) -> None:
    entry = struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)
    trace = trace_of(tmp_path, [(10, entry), None, (20, entry)], [(15, entry)])
    bundles = [packet.ftrace_events for packet in packets(trace) if packet.HasField("ftrace_events")]
    assert [(bundle.cpu, len(bundle.event), bundle.lost_events) for bundle in bundles] == [(0, 2, True), (1, 1, False)]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    unknown = struct.pack("<HBBi", 60000, 0, 0, 5)
    options = ConvertOptions()
    assert list(by_cpu(trace_of(tmp_path, [(10, unknown)]), options)) == []
    assert options.notes == ["1 event left out: the trace has no format of them"]


def test_an_empty_trace(tmp_path: Path) -> None:
    assert [packet.HasField("ftrace_events") for packet in packets(trace_of(tmp_path, []))] == [False] * 3


def test_only_what_is_selected(trace: Trace) -> None:
    options = ConvertOptions(Selection(events={"sched:sched_switch"}, cpus=[1]))
    found = [(cpu, event.WhichOneof("event")) for cpu, event, _ in by_cpu(trace, options)]
    assert set(found) == {(1, "sched_switch")}
    assert len(found) == int((trace["sched_switch"]["cpu"] == 1).sum())
