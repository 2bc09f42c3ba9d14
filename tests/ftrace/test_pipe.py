# SPDX-License-Identifier: GPL-2.0-only
"""trace_pipe: reads consume events, however they are made, and the pieces form the text that `trace` would show."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.kernel.files.node import Handle, OpenFlags, Readiness, WouldBlock
from tests.ftrace.conftest import mark


def read_all(handle: Handle, size: int) -> tuple[list[str], list[int]]:
    """The lines that can be read now, and the size of each read."""
    data, lengths = b"", []
    while isinstance(piece := handle.read(0, size), bytes) and piece:
        data += piece
        lengths.append(len(piece))
    return [line.split(": ")[-1] for line in data.decode().splitlines()], lengths


@pytest.fixture
def pipe(root: Any) -> Handle:
    handle = root.lookup("trace_pipe").open(OpenFlags.READ)
    assert isinstance(handle, Handle)
    return handle


@pytest.mark.parametrize("size", [1, 7, 100, 4096, 1 << 20])
def test_any_size_of_reads_gives_all_events_in_their_order(pipe: Handle, rings: list[RingBuffer], size: int) -> None:
    # Two pages on CPU 0, interleaved with fewer on CPU 1.
    for number in range(150):
        mark(rings[0], 1000 * number, f"a{number}")
        if number % 10 == 5:
            mark(rings[1], 1000 * number + 1, f"b{number}")
    lines, lengths = read_all(pipe, size)
    expected = [text for n in range(150) for text in ([f"a{n}", f"b{n}"] if n % 10 == 5 else [f"a{n}"])]
    assert lines == expected
    assert max(lengths) <= min(size, 4095)
    assert [ring.read_events for ring in rings] == [150, 15]


def test_a_read_takes_no_more_than_it_gives(pipe: Handle, rings: list[RingBuffer], tracefs: TraceFS) -> None:
    for number in range(10):
        mark(rings[0], 1000 * number, f"a{number}")
    first = pipe.read(0, 50)
    assert isinstance(first, bytes)
    assert len(first) == 50
    assert rings[0].entries == 9
    pipe.release()
    assert "a1\n" in tracefs.read("trace_pipe")


def test_it_waits_and_ends_when_recording_is_off(
    pipe: Handle, rings: list[RingBuffer], trace_array: TraceArray, tracefs: TraceFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[None] = []
    monkeypatch.setattr(trace_array.reader, "wake", lambda: woken.append(None))
    assert isinstance(pipe.read(0, 100), WouldBlock)
    assert not pipe.poll() & Readiness.READABLE
    tracefs.write("tracing_on", "0")
    assert woken == [None]
    assert isinstance(pipe.read(0, 100), WouldBlock)  # it has not read anything yet
    tracefs.write("tracing_on", "1")
    mark(rings[1], 1000, "x")
    assert pipe.poll() & Readiness.READABLE
    assert isinstance(pipe.read(0, 100), bytes)
    assert isinstance(pipe.read(0, 100), WouldBlock)
    tracefs.write("tracing_on", "0")
    assert pipe.read(0, 100) == b""


@pytest.mark.parametrize(("percent", "full"), [(0, 0), (10, 0), (50, 4), (100, 9)])
def test_a_poll_waits_until_enough_of_a_cpus_buffer_is_written(
    percent: int, full: int, pipe: Handle, rings: list[RingBuffer], root: Any, tracefs: TraceFS
) -> None:
    """`full`: the number of pages before the one that is being written."""
    tracefs.write("buffer_size_kb", "38")
    assert (rings[0].pages, tracefs.read("buffer_percent")) == (10, "50\n")
    tracefs.write("buffer_percent", str(percent))
    own = [root.lookup("per_cpu").lookup("cpu0").lookup(name).open(OpenFlags.READ) for name in ("trace_pipe", "trace_pipe_raw")]
    assert not any(handle.poll() & Readiness.READABLE for handle in own)
    written = 0
    while not any(handle.poll() & Readiness.READABLE for handle in own):
        mark(rings[0], 1000 * written, "x" * 100)
        written += 1
        assert pipe.poll() & Readiness.READABLE
    assert all(handle.poll() & Readiness.READABLE for handle in own)
    assert (rings[0].full_pages, rings[0].overrun) == (full, 0)
    with pytest.raises(TraceError) as error:
        tracefs.write("buffer_percent", "101")
    assert error.value.errno == errno.EINVAL
    assert tracefs.read("buffer_percent") == f"{percent}\n"


def test_a_splice_waits_for_whole_pages_until_it_is_told_to_end(
    rings: list[RingBuffer], root: Any, trace_array: TraceArray, tracefs: TraceFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[None] = []
    monkeypatch.setattr(trace_array.reader, "wake", lambda: woken.append(None))
    tracefs.write("buffer_size_kb", "38")
    raw = root.lookup("per_cpu").lookup("cpu0").lookup("trace_pipe_raw").open(OpenFlags.READ)
    while rings[0].full_pages < 3:
        mark(rings[0], 1000, "x" * 100)
    assert isinstance(raw.splice(0, 1 << 16, waited=True), WouldBlock)  # half of the buffer is required
    assert len(raw.splice(0, 8192 + 4095, waited=False)) == 8192
    while rings[0].full_pages < 4:
        mark(rings[0], 1000, "x" * 100)
    assert len(raw.splice(0, 1 << 16, waited=True)) == 4 * 4096
    assert isinstance(raw.splice(0, 1 << 16, waited=False), WouldBlock)
    assert (raw.ioctl(0), woken) == (0, [None])
    assert raw.splice(0, 1 << 16, waited=True) == b""
    assert isinstance(raw.splice(0, 1 << 16, waited=False), WouldBlock)
    assert isinstance(raw.splice(0, 1 << 16, waited=True), WouldBlock)
    tracefs.write("tracing_on", "0")
    assert raw.splice(0, 1 << 16, waited=True) == b""
    assert len(raw.read(0, 100)) == 100
    for refused, number in ((lambda: raw.splice(0, 4096, waited=False), errno.EINVAL), (lambda: raw.ioctl(1), errno.ENOTTY)):
        with pytest.raises(OSError) as error:
            refused()
        assert error.value.errno == number


def test_the_tracer_stays_while_a_pipe_is_open(pipe: Handle, tracefs: TraceFS) -> None:
    with pytest.raises(TraceError) as error:
        tracefs.write("current_tracer", "function")
    assert error.value.errno == errno.EBUSY
    tracefs.write("current_tracer", "nop")
    pipe.release()
    pipe.release()
    tracefs.write("current_tracer", "function")


def test_one_cpus_pipe_leaves_the_others(root: Any, rings: list[RingBuffer]) -> None:
    mark(rings[0], 1000, "a")
    mark(rings[1], 2000, "b")
    handle = root.lookup("per_cpu").lookup("cpu1").lookup("trace_pipe").open(OpenFlags.READ)
    assert read_all(handle, 4096)[0] == ["b"]
    assert [ring.entries for ring in rings] == [1, 0]
