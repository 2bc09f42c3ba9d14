# SPDX-License-Identifier: GPL-2.0-only
"""One trace in all forms in which a real kernel printed it: options that show numbers instead of text, or relative times."""

from __future__ import annotations

import re

import pytest

from emu.ftrace.buffers.entries import ENTRY, FUNCTION, PRINT, EventType
from emu.ftrace.event.call import EventCall
from emu.ftrace.text import render_events, render_trace
from emu.ftrace.text.pipe import PipeText
from emu.ftrace.text.view import LatencyData
from emu.ftrace.words import Words
from tests.ftrace.text.golden import Recording, body_of, header_of, record_events
from tests.lib.golden import read_golden

RELEASE = "6.1.192-fulltrace"
RAW = r"^\d+ \d+ (\d+) "
# The beginnings of the traces function-opt-* and nop-sched-opt-*, derived from the times in them
START = 76_390_669_967
SCHED_START = 345_370_499_637


def _with_times(lines: list[str], raw: list[str]) -> list[str]:
    """The lines with the nanoseconds that the same events have in the raw trace, as long as both have them."""
    times = iter(re.findall(RAW, "\n".join(raw), re.MULTILINE))
    exact: list[str] = []
    for line in lines:
        if re.search(r" +\d+\.\d{6}: ", line):
            if (time := next(times, None)) is None:
                break
            line = re.sub(r" +\d+\.\d{6}: ", f" {time}: ", line, count=1)
        exact.append(line)
    return exact


def _functions() -> Recording:
    golden = "function-opt-{}.txt".format
    return record_events(_with_times(body_of(read_golden(golden("sym-addr"))), body_of(read_golden(golden("raw")))))


def _markers() -> Recording:
    lines = body_of(read_golden("trace_marker.txt").replace("write:", "write <ffffffff8111783d>:"))
    return record_events(_with_times(lines, body_of(read_golden("trace_marker-opt-raw.txt"))))


def _scheduling(name: str) -> tuple[Recording, dict[int, EventCall]]:
    """Events of guest tracepoints, as a raw trace shows them: without their fields."""
    recording, calls = Recording(), {}
    for pid, cpu, time, number in re.findall(r"^(\d+) (\d+) (\d+) type: (\d+)$", read_golden(name), re.MULTILINE):
        recording.write(int(cpu), int(time), ENTRY, {"type": int(number), "pid": int(pid)})
        calls[int(number)] = EventCall("sched", f"event{number}", int(number), (), '""', 8)
    return recording, calls


def _same_beginning(ours: str, golden: str, *, least: int) -> None:
    """Compares as many lines as both have; the last line of a truncated trace is left out."""
    lines, expected = ours.splitlines()[:-1], golden.splitlines()
    count = min(len(lines), len(expected))
    assert count >= least
    assert lines[:count] == expected[:count]


@pytest.mark.parametrize("options", ["raw", "hex", "verbose", "latency-format", "latency-format+verbose"])
def test_function(options: str) -> None:
    golden = read_golden(f"function-opt-{options}.txt")
    chosen, header, latency = options.split("+"), header_of(golden), LatencyData(cpu=1)
    view = _functions().view("function", chosen, header, release=RELEASE, start=START, latency=latency)
    _same_beginning("".join(render_trace(view)), golden, least=100)


def _dumped(dump: str) -> bytes:
    """The data in the output of `od -A d -t x1z`; `*` means rows equal to the previous one."""
    data, row = b"", b""
    for line in dump.splitlines():
        if line != "*":
            offset = int(line[:7])
            while len(data) < offset:
                data += row
            row = bytes.fromhex(line[7:].partition(" >")[0])
    return data


def _same_bodies(text: str) -> str:
    """The trace with the same event in all lines: only the columns before it are compared."""
    return re.sub(r"(\d\.\d{6}|us.|ms\)): \w+: .*", r"\1: vfs_open <-path_openat", text)


@pytest.mark.parametrize("options", ["latency-format", "latency-format+verbose"])
def test_latencies_between_cpus(options: str) -> None:
    lines, raw = (body_of(read_golden(f"nop-sched-opt-{form}.txt")) for form in ("verbose", "raw"))
    recording = record_events(_with_times([_same_bodies(line) for line in lines], raw))
    golden = read_golden(f"nop-sched-opt-{options}.txt")
    view = recording.view("nop", options.split("+"), header_of(golden), release=RELEASE, start=SCHED_START)
    _same_beginning("".join(render_trace(view)), _same_bodies(golden), least=50)


def test_binary() -> None:
    header, dump = read_golden("function-opt-hex.txt"), read_golden("function-opt-bin.od.txt")
    view = _functions().view("function", ["bin"], header_of(header))
    ours = "".join(render_trace(view)).encode(errors="surrogateescape")
    assert ours[:2000] == _dumped(dump)


def test_binary_numbers_have_the_order_of_the_guest() -> None:
    recording = Recording()
    recording.write(1, 0x1122, FUNCTION, {"type": EventType.FUNCTION, "pid": 57, "ip": 1, "parent_ip": 0xFFFF})
    text = "".join(render_events(recording.view("function", ["bin"], words=Words(">"))))
    numbers = ((57, 4), (1, 4), (0x1122, 8), (1, 8), (0xFFFF, 8))
    assert text.encode(errors="surrogateescape") == b"".join(number.to_bytes(size, "big") for number, size in numbers)


@pytest.mark.parametrize("options", ["raw", "hex", "verbose"])
def test_markers(options: str) -> None:
    golden = read_golden(f"trace_marker-opt-{options}.txt")
    assert "".join(render_trace(_markers().view("nop", [options], header_of(golden)))) == golden


def test_binary_markers() -> None:
    events = [(57, EventType.PRINT), (57, EventType.RAW_DATA)]
    recording = Recording()
    for pid, kind in events:
        recording.write(0, 0, PRINT, {"type": kind, "pid": pid})
    text = "".join(render_events(recording.view("nop", ["bin"])))
    assert re.findall(r"type: (\d+)\n", text) == ["5", "18"]


@pytest.mark.parametrize(("name", "options"), [("nop-sched", "raw"), ("nop-sched", "hex"), ("nop-syscalls", "raw")])
def test_events_of_the_guest_are_a_number(name: str, options: str) -> None:
    golden = read_golden(f"{name}-opt-{options}.txt")
    recording, calls = _scheduling(f"{name}-opt-raw.txt")
    _same_beginning("".join(render_trace(recording.view("nop", [options], header_of(golden), calls=calls))), golden, least=50)


@pytest.mark.parametrize(("options", "text"), [("raw", "57 0 1 99 ?\n"), ("hex", "00000039 00000000 0000000000000001 \n")])
def test_an_event_that_nobody_knows(options: str, text: str) -> None:
    recording = Recording()
    recording.write(0, 1, ENTRY, {"type": 99, "pid": 57})
    assert "".join(render_events(recording.view("nop", [options]))) == text


def test_the_first_of_bin_hex_raw_counts() -> None:
    view = _functions().view("function", ["raw", "hex"])
    assert next(iter(render_events(view))).startswith("00000039 00000001 ")


def test_without_context_only_the_event_is_left() -> None:
    for options, line in (("raw", "ffffffff816106f0 ffffffff81114581\n"), ("hex", "ffffffff816106f0 ffffffff81114581 \n")):
        assert "".join(render_trace(_functions().view("function", [options, "nocontext-info"]))).startswith(
            f"# tracer: function\n#\n{line}"
        )


def test_latency_of_an_empty_trace_is_its_name() -> None:
    for tracer in ("nop", "function_graph"):
        text = "".join(render_trace(Recording().view(tracer, ["latency-format"])))
        assert text.startswith(f"# tracer: {tracer}\n#\n")
        assert "latency trace" not in text


def test_latency_by_a_clock_that_counts_no_nanoseconds() -> None:
    recording = Recording()
    for time in (1000, 1500):
        recording.write(1, time, FUNCTION, {"type": EventType.FUNCTION, "pid": 57, "ip": recording.symbols.address_of("f")})
    recording.comms[57] = "sh"

    def text(*options: str) -> list[str]:
        view = recording.view("function", ["latency-format", *options], clock_is_ns=False, start=900)
        return "".join(render_events(view)).splitlines()

    assert text() == ["      sh-57        1.....  100: f", "      sh-57        1.....  600: f"]
    assert text("verbose") == [
        "              sh      57   1 0 00000000 00000000 [00000000000003e8] 100 (+500): f",
        "              sh      57   1 0 00000000 00000001 [00000000000005dc] 600 (+0): f",
    ]


def test_trace_pipe_does_not_know_the_next_event() -> None:
    view = _functions().view("function", ["latency-format", "verbose"], consuming=True, first_number=1, start=START)
    first, second = (text for text, _ in PipeText().rows(view)[:2])
    assert first.startswith("              sh      57   1 0 00000000 00000001 [048de1e8] 16.602ms (+0.000ms): mutex_unlock")
    assert " 00000002 [048de2f2] 16.868ms (+0.000ms): " in second


def test_printk_msg_only() -> None:
    recording = _markers()
    options = ["printk-msg-only"]
    lines = "".join(render_events(recording.view("nop", options))).splitlines()
    assert lines[:4] == ["hello world", "no newline", "multi", "line"]
    assert "# 4030201 buf: " in lines[-1] and "] ..... " in lines[-1]
    assert "".join(render_events(recording.view("nop", [*options, "raw"]))).startswith("hello world\n")
    assert "tracing_mark_write: hello" in "".join(render_events(recording.view("nop", [*options, "notrace_printk"])))
