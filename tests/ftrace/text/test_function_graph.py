# SPDX-License-Identifier: GPL-2.0-only
"""The text of function_graph: what a real kernel printed, parsed and printed again."""

from __future__ import annotations

import re

import pytest

from emu.ftrace.buffers.entries import FUNCTION, EventType
from emu.ftrace.text import render_events, render_trace
from tests.ftrace.text.golden import body_of
from tests.ftrace.text.graph_golden import record_calls
from tests.lib.golden import read_golden


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("function_graph", ()),
        ("function_graph-pidfilter", ()),
        ("function_graph-proc", ("funcgraph-proc",)),
        ("function_graph-proc-systemwide", ("funcgraph-proc",)),
        ("function_graph-abstime", ("funcgraph-abstime",)),
        ("function_graph-tail", ("funcgraph-tail",)),
        ("function_graph-nocpu", ("nofuncgraph-cpu",)),
        ("function_graph-noduration", ("nofuncgraph-duration",)),
        ("function_graph-nooverhead", ("nofuncgraph-overhead",)),
        ("function_graph-noirqs", ("nofuncgraph-irqs",)),
        ("function_graph-noirqs-systemwide", ("nofuncgraph-irqs",)),
        ("function_graph-nosleep-time", ("nosleep-time",)),
        ("function_graph-depth2", ()),
        ("function_graph-set_graph_function", ()),
        ("function_graph-set_graph_notrace", ()),
        ("function_graph-thresh100", ()),
        ("function_graph-leaf-vfs", ()),
        ("function_graph-overrun", ("funcgraph-overrun",)),
        ("function_graph-overhead-marks", ("funcgraph-proc",)),
        ("function_graph-proc-abstime-tail", ("funcgraph-proc", "funcgraph-abstime", "funcgraph-tail")),
        ("function_graph-cpu-proc-nocontext", ("nofuncgraph-cpu", "funcgraph-proc", "nofuncgraph-duration")),
        ("function_graph-opt-context-info-off", ("nocontext-info",)),
        ("function_graph-with-events", ()),
        *((f"function_graph-opt-{option}", (option,)) for option in ("raw", "hex", "verbose", "sym-addr", "sym-offset")),
        ("function_graph-opt-latency-format", ("latency-format",)),
        ("function_graph-opt-latency-format+verbose", ("latency-format", "verbose")),
    ],
)
def test_function_graph(name: str, options: tuple[str, ...]) -> None:
    golden = read_golden(f"{name}.txt")
    recording = record_calls(body_of(golden), options)
    view = recording.view("function_graph", options, golden, release="6.1.192-fulltrace")
    assert "".join(render_trace(view)) == golden


@pytest.mark.parametrize("name", ["function_graph.full20k.gz", "function_graph-pidfilter.full20k.gz"])
def test_many_calls(name: str) -> None:
    golden = read_golden(name)
    recording = record_calls(body_of(golden))
    assert "".join(render_trace(recording.view("function_graph", (), golden))) == golden


def test_without_a_header() -> None:
    # Of one read of trace_pipe: after each, Linux begins the line anew and names a return it need not name.
    golden = read_golden("function_graph-trace_pipe.txt")
    recording = record_calls(golden.splitlines())
    assert "".join(render_events(recording.view("function_graph"))) == golden


def _excerpts(name: str) -> list[str]:
    """The parts of a golden made by `grep -n` with context, without the line numbers."""
    text = re.sub(r"^\d+[:-]", "", read_golden(name), flags=re.MULTILINE)
    return [part + "\n" for part in text.removesuffix("\n").split("\n--\n")]


_OPENED = [f" {{cpu}})               |  {'  ' * depth}caller_{depth}() {{{{" for depth in range(30)]


@pytest.mark.parametrize(
    ("name", "options"),
    [("function_graph-switch-separators.txt", ()), ("function_graph-proc-switch.txt", ("funcgraph-proc",))],
)
def test_process_switches(name: str, options: tuple[str, ...]) -> None:
    """Calls closed in an excerpt must have been opened: they are added before it, in the task with which it begins."""
    for excerpt in _excerpts(name):
        lines = excerpt.splitlines()
        parts = re.match(r" (\d)\)(.{17})?", lines[0])
        assert parts
        if "=>" in lines[0]:
            continue
        opened = [line.format(cpu=parts[1]) for line in _OPENED]
        if options:
            opened = [line.replace(")", f"){parts[2]}", 1) for line in opened]
        recording = record_calls(opened + lines, options)
        text = "".join(render_events(recording.view("function_graph", options)))
        assert text.split("\n", len(opened))[-1] == excerpt


_COMMENTS = re.findall(r"^\d+:(.*\|  +/\*.*)", read_golden("function_graph-comment-lines.txt"), re.MULTILINE)


@pytest.mark.parametrize("line", _COMMENTS)
def test_a_comment_is_as_deep_as_the_code_around_it(line: str) -> None:
    call = line[20:]
    depth = max((len(call) - len(call.lstrip())) // 2 - 1, 0)
    opened = [text.format(cpu=line[1]) for text in _OPENED[: depth + 1]]
    recording = record_calls([*opened, line])
    text = "".join(render_events(recording.view("function_graph")))
    assert text.splitlines()[-1] == line


_INTERRUPT = [
    " 0)               |  vfs_read() {",
    " 0)               |    sysvec_apic_timer_interrupt() {",
    " 0)   1.000 us    |      irq_enter_rcu();",
    " 0)   3.000 us    |    }",
    " 0)   9.000 us    |  }",
    " 0)   2.000 us    |  sysvec_apic_timer_interrupt();",
]


def test_arrows_lead_into_interrupts_and_out_of_them() -> None:
    recording = record_calls(_INTERRUPT)
    entry = recording.symbols.address_of("sysvec_apic_timer_interrupt")
    view = recording.view("function_graph", (), irq_entry_text=range(entry, entry + 1))
    into, out = " 0)   ==========> |", " 0)   <========== |"
    assert "".join(render_events(view)).splitlines() == [
        _INTERRUPT[0], into, *_INTERRUPT[1:4], out, _INTERRUPT[4], into, _INTERRUPT[5], out
    ]  # fmt: skip


def test_without_funcgraph_irqs_interrupts_and_what_they_call_are_hidden() -> None:
    recording = record_calls(_INTERRUPT)
    entry = recording.symbols.address_of("sysvec_apic_timer_interrupt")
    view = recording.view("function_graph", ("nofuncgraph-irqs",), irq_entry_text=range(entry, entry + 1))
    assert "".join(render_events(view)).splitlines() == [_INTERRUPT[0], _INTERRUPT[4]]


def test_a_return_whose_call_was_lost_names_its_function() -> None:
    lines = [
        " 0)   1.000 us    |    } /* vfs_read */",
        " 0)               |    vfs_write() {",
        " 0)   1.000 us    |      } /* ksys_write */",
        " 0)   9.000 us    |    }",
        " 0)   9.000 us    |    } /* vfs_write */",
    ]
    recording = record_calls(lines)
    assert "".join(render_events(recording.view("function_graph"))).splitlines() == lines


def test_a_call_returning_in_another_task_is_no_leaf() -> None:
    lines = [
        " 0)     sh-57      |               |  schedule() {",
        " ------------------------------------------",
        " 0)     sh-57      =>     ls-58     ",
        " ------------------------------------------",
        "",
        " 0)     ls-58      |   9.000 us    |  }",
    ]
    recording = record_calls(lines, ("funcgraph-proc",))
    assert "".join(render_events(recording.view("function_graph", ("funcgraph-proc",)))).splitlines() == lines


def test_a_function_event_keeps_its_own_line() -> None:
    recording = record_calls([" 0)   1.000 us    |  vfs_read();"])
    function = {"type": EventType.FUNCTION, "pid": 57, "ip": recording.symbols.address_of("schedule")}
    recording.write(0, 2000, FUNCTION, function)
    assert "".join(render_events(recording.view("function_graph"))).splitlines() == [
        " 0)   1.000 us    |  vfs_read();",
        "           <...>-57      [000] .....     0.000002: schedule",
    ]
