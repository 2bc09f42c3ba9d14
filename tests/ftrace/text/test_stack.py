# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces: what a real kernel printed, parsed and printed again, and forms without a golden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY, KERNEL_STACK, USER_STACK, EventType
from emu.ftrace.text import render_events, render_trace
from emu.ftrace.text.pipe import PipeText
from emu.kernel.user_mappings import MappedFile
from tests.ftrace.event.golden_events import VALUES, record_event
from tests.ftrace.text.golden import Recording, body_of, record_events, record_own
from tests.lib.golden import read_golden


def record_body(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> None:
    """Records a body, also of guest events."""
    if body.startswith("<") or " <-" in body:
        record_own(recording, cpu, time, common, body)
    else:
        assert recording.buffers[cpu].write(time, record_event(recording, common, body))


@pytest.mark.parametrize(
    ("name", "tracer", "options"),
    [
        ("nop-sched_switch-stacktrace", "nop", ()),
        ("nop-stacktrace-sym-addr", "nop", ("sym-addr",)),
        ("nop-stacktrace-sym-offset", "nop", ("sym-offset",)),
        ("nop-userstacktrace", "nop", ()),
        ("nop-userstacktrace-sym-userobj", "nop", ("sym-userobj",)),
        ("trigger-stacktrace", "nop", ()),
        ("function-probe-stacktrace", "nop", ()),
        ("function-func_stack_trace", "function", ()),
    ],
)
def test_stack_traces(name: str, tracer: str, options: tuple[str, ...]) -> None:
    golden = read_golden(f"{name}.txt")
    recording = record_events(body_of(golden), record_body)
    assert "".join(render_trace(recording.view(tracer, options, golden, kernel_values=VALUES))) == golden


PLACE, OTHER = 0xFFFF_FFFF_8100_0010, 0xFFFF_FFFF_8100_0040
USER = [0x40_1000, 0x7F69_4DD7_6B1D]


def recording_of_stacks() -> Recording:
    """One stack of the kernel, then one of the process 57."""
    recording = Recording()
    for at, name in ((PLACE, "schedule"), (OTHER, "do_wait")):
        recording.symbols.address_of(f"{name}+0x4/0x20 <{at:x}>")
    values = {"pid": 57, "preempt_count": 2, "flags": 1}
    stack = b"".join(at.to_bytes(8, "little") for at in (PLACE, OTHER, 0xFFFF_FFFF_A000_2083))
    recording.write(1, 2000, KERNEL_STACK, {**values, "type": EventType.KERNEL_STACK, "size": 3}, stack)
    recording.write(1, 3000, USER_STACK, {**values, "type": EventType.USER_STACK, "tgid": 57, "caller": [*USER, *[0] * 6]})
    return recording


def text_of(recording: Recording, *options: str, tracer: str = "nop", **more: object) -> str:
    return "".join(render_events(replace(recording.view(tracer, ("nocontext-info", *options)), **more)))


def test_an_address_has_a_name_or_is_a_number() -> None:
    assert text_of(recording_of_stacks()) == (
        "<stack trace>\n => schedule\n => do_wait\n => 0xffffffffa0002083\n"
        "<user stack trace>\n =>  <0000000000401000>\n =>  <00007f694dd76b1d>\n"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("sym-userobj", " => /bin/ls[+0x1000]\n =>  <00007f694dd76b1d>\n"),
        ("sym-userobj sym-addr", " => /bin/ls[+0x1000] <0000000000401000>\n =>  <00007f694dd76b1d>\n"),
        ("sym-addr", " =>  <0000000000401000>\n =>  <00007f694dd76b1d>\n"),
    ],
)
def test_an_address_of_a_process_that_lives_is_a_place_in_a_file(options: str, text: str) -> None:
    mapped = {(57, 0x40_1000): MappedFile("/bin/ls", 0x1000)}
    shown = text_of(recording_of_stacks(), *options.split(), mapped_file=lambda tgid, address: mapped.get((tgid, address)))
    assert shown.partition("<user stack trace>\n")[2] == text


@pytest.mark.parametrize("option", ["raw", "hex", "bin"])
def test_as_numbers_both_are_only_a_type(option: str) -> None:
    newline = "\n" if option == "hex" else ""
    assert text_of(recording_of_stacks(), option) == f"type: 4\n{newline}type: 12\n{newline}"


def test_latencies() -> None:
    lines = text_of(recording_of_stacks(), "context-info", "latency-format").splitlines()
    assert [line for line in lines if "=>" not in line] == [
        "   <...>-57        1d..2.    2us : <stack trace>",
        "   <...>-57        1d..2.    3us : <user stack trace>",
    ]


def test_in_a_graph_one_of_the_kernel_has_a_line_and_one_of_a_program_is_a_comment() -> None:
    recording = recording_of_stacks()
    recording.write(1, 4000, FUNCGRAPH_ENTRY, {"type": EventType.FUNCGRAPH_ENTRY, "pid": 57, "func": PLACE})
    recording.write(1, 5000, USER_STACK, {"type": EventType.USER_STACK, "pid": 57, "caller": [USER[0], *[0] * 7]})
    assert text_of(recording, tracer="function_graph") == (
        "<stack trace>\n => schedule\n => do_wait\n => 0xffffffffa0002083\n"
        "/* <user stack trace>\n =>  <0000000000401000>\n =>  <00007f694dd76b1d> */\n"
        "schedule() {\n"
        "/* <user stack trace>\n =>  <0000000000401000> */\n"
    )


def test_one_after_the_other_they_are_the_same() -> None:
    recording = recording_of_stacks()
    view = recording.view("nop")
    assert "".join(text for text, _ in PipeText().rows(replace(view, consuming=True))) == "".join(render_events(view))


@pytest.mark.parametrize(("size", "shown"), [(-1, 0), (0, 0), (1, 1), (3, 3), (9, 3)])
def test_an_entry_ends_where_it_says_or_at_its_end(size: int, shown: int) -> None:
    recording = Recording()
    values = {"type": EventType.KERNEL_STACK, "size": size}
    recording.write(0, 1, KERNEL_STACK, values, PLACE.to_bytes(8, "little") * 3)
    assert text_of(recording) == "<stack trace>\n" + f" => {PLACE:#x}\n" * shown


def test_all_ones_end_a_stack() -> None:
    recording = Recording()
    stack = PLACE.to_bytes(8, "little") + b"\xff" * 8 + PLACE.to_bytes(8, "little")
    recording.write(0, 1, KERNEL_STACK, {"type": EventType.KERNEL_STACK, "size": 3}, stack)
    assert text_of(recording) == f"<stack trace>\n => {PLACE:#x}\n"


def test_eight_calls_of_a_program_need_no_end() -> None:
    recording = Recording()
    recording.write(0, 1, USER_STACK, {"type": EventType.USER_STACK, "caller": range(1, 9)})
    assert text_of(recording).splitlines()[1:] == [f" =>  <{n:016x}>" for n in range(1, 9)]
