# SPDX-License-Identifier: GPL-2.0-only
"""The files of tracefs: what they show, what they accept, what they refuse and with which errno."""

from __future__ import annotations

import contextlib
import errno
import re
from typing import Any

import pytest

from emu.ftrace.arrays.reader import BufferStats
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS, build_own_tree
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import OpenFlags
from tests.ftrace.conftest import mark
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

WRITE = OpenFlags.WRITE | OpenFlags.TRUNCATE
TAB = "\t"
ALL_ENABLED = "#### all functions enabled ####\n"

def refused(tracefs: TraceFS, path: str, value: str) -> int:
    with pytest.raises(TraceError) as error:
        tracefs.write(path, value)
    assert error.value.errno is not None
    return error.value.errno


def test_every_file_of_the_root_is_described_in_readme(tracefs: TraceFS) -> None:
    readme = tracefs.read("README")
    missing = {"README", "available_tracers", "current_tracer", "dyn_ftrace_total_info", "options", "per_cpu"}
    assert {name for name in tracefs.listdir() if name not in readme} <= missing
    assert [name for name in tracefs.listdir("options") if f"  {name} " not in readme] == []


def test_a_tracer_starts_on_an_empty_expanded_buffer(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer]) -> None:
    mark(rings[0], 1000, "before")
    tracefs.write("current_tracer", "function")
    assert rings[0].entries == 0
    assert tracefs.read("buffer_size_kb") == "1410\n"
    mark(rings[0], 2000, "after")
    updates = trace_array.ftrace.updates
    tracefs.write("current_tracer", "function")
    assert rings[0].entries == 1 and trace_array.ftrace.updates == updates


@pytest.mark.parametrize(("kb", "shown"), [("4", "7\n"), ("10", "11\n"), ("8192", "8195\n")])
def test_buffers_are_whole_pages(tracefs: TraceFS, kb: str, shown: str) -> None:
    tracefs.write("buffer_size_kb", kb)
    assert tracefs.read("buffer_size_kb") == shown


def test_a_buffer_too_big_for_the_host_is_refused(tracefs: TraceFS) -> None:
    assert refused(tracefs, "buffer_size_kb", str(1 << 50)) == errno.ENOMEM
    assert tracefs.read("buffer_size_kb") == "7 (expanded: 1408)\n"


@pytest.mark.parametrize("value", ["", "-1", " 1", "1 1", "0x10", "1.5", "٣"])
def test_numbers_are_decimal_and_alone(tracefs: TraceFS, value: str) -> None:
    assert refused(tracefs, "max_graph_depth", value) == errno.EINVAL


def test_what_is_written_is_bytes(tracefs: TraceFS) -> None:
    assert refused(tracefs, "tracing_on", "\udcff") == errno.EINVAL
    tracefs.write("events/sched/sched_switch/filter", 'prev_comm == "\udcff\u00e9"')
    assert tracefs.read("events/sched/sched_switch/filter") == 'prev_comm == "\udcff\u00e9"\n'


def test_a_number_out_of_range_is_refused(tracefs: TraceFS) -> None:
    for value in (str(1 << 32), "1" * 5000):
        assert refused(tracefs, "max_graph_depth", value) == errno.ERANGE
    tracefs.write("max_graph_depth", "0" * 5000 + "7")
    assert tracefs.read("max_graph_depth") == "7\n"


def test_globs_give_what_they_gave_on_linux(tracefs: TraceFS) -> None:
    available = tracefs.read("available_filter_functions").splitlines(keepends=True)
    tracefs.write("set_ftrace_filter", "vfs_*")
    assert tracefs.read("set_ftrace_filter") == "".join(name for name in available if name.startswith("vfs_"))
    tracefs.write("set_ftrace_filter", "*sched*fork*")
    assert tracefs.read("set_ftrace_filter") == "".join(name for name in available if re.match(".*sched.*fork", name))
    tracefs.write("set_ftrace_filter", "!vfs_*")
    assert tracefs.read("set_ftrace_filter") == ALL_ENABLED
    tracefs.write("set_ftrace_filter", "vfs_read")
    tracefs.append("set_ftrace_filter", "vfs_write")
    tracefs.append("set_ftrace_filter", "!vfs_read")
    assert tracefs.read("set_ftrace_filter") == "vfs_write\n"
    tracefs.write("set_ftrace_filter", "6")
    assert tracefs.read("set_ftrace_filter") == available[5]
    tracefs.write("set_ftrace_filter", "")
    assert tracefs.read("set_ftrace_filter") == ALL_ENABLED


def test_notrace_wins_and_nop_wants_nothing(tracefs: TraceFS) -> None:
    def enabled() -> set[str]:
        return {line.split()[0] for line in tracefs.read("enabled_functions").splitlines()}

    available = set(tracefs.read("available_filter_functions").split())
    assert enabled() == set()
    tracefs.write("current_tracer", "function")
    assert enabled() == available
    tracefs.write("set_ftrace_notrace", "vfs_read")
    assert enabled() == available - {"vfs_read"}
    tracefs.write("set_ftrace_filter", "vfs_read vfs_write schedule")
    assert enabled() == {"vfs_write", "schedule"}


def test_a_filter_takes_effect_once_when_the_file_is_closed(root: Any, trace_array: TraceArray) -> None:
    handle = root.lookup("set_ftrace_filter").open(WRITE)
    handle.write(0, b"vfs_open ksys")
    handle.write(0, b"_read\n")
    handle.write(0, b"sched")
    handle.write(0, b"ule")
    assert not trace_array.ops.filter and trace_array.ftrace.updates == 0
    handle.release()
    assert set(trace_array.ops.filter.selected_names()) == {"vfs_open", "ksys_read", "schedule"}
    assert trace_array.ftrace.updates == 1


def test_a_filter_that_stays_the_same_patches_nothing(tracefs: TraceFS, trace_array: TraceArray) -> None:
    tracefs.write("set_ftrace_filter", "vfs_open")
    tracefs.append("set_ftrace_filter", "vfs_open")
    tracefs.write("set_ftrace_filter", "vfs_open")
    assert trace_array.ftrace.updates == 1


@pytest.mark.parametrize("pieces", [[b"nosuch\n"], [b"vfs_open nosuch\n"], [b"no", b"such\n"], [b"nosuch"]])
def test_a_filter_that_is_refused_does_not_even_truncate(root: Any, tracefs: TraceFS, pieces: list[bytes]) -> None:
    tracefs.write("set_ftrace_filter", "schedule")
    handle = root.lookup("set_ftrace_filter").open(WRITE)
    with contextlib.suppress(TraceError):
        for piece in pieces:
            handle.write(0, piece)
    handle.release()
    assert tracefs.read("set_ftrace_filter") == "schedule\n"


def test_what_was_accepted_before_a_refused_write_stays(root: Any, tracefs: TraceFS) -> None:
    tracefs.write("set_ftrace_filter", "schedule")
    handle = root.lookup("set_ftrace_filter").open(WRITE)
    handle.write(0, b"vfs_open\n")
    with pytest.raises(TraceError):
        handle.write(0, b"vfs_fsync nosuch\n")
    handle.release()
    assert tracefs.read("set_ftrace_filter") == "vfs_open\n"


def test_a_refused_write_leaves_no_half_of_a_word_behind(root: Any, tracefs: TraceFS) -> None:
    handle = root.lookup("set_ftrace_filter").open(WRITE)
    with pytest.raises(TraceError):
        handle.write(0, b"nosuch vfs_")
    handle.write(0, b"schedule")
    handle.release()
    assert tracefs.read("set_ftrace_filter") == "schedule\n"


def test_truncating_alone_clears_a_filter(root: Any, tracefs: TraceFS) -> None:
    tracefs.write("set_graph_function", "schedule")
    root.lookup("set_graph_function").open(WRITE).release()
    assert tracefs.read("set_graph_function") == ALL_ENABLED


def test_options_of_other_tracers_are_only_in_their_directory(tracefs: TraceFS) -> None:
    assert "funcgraph" not in tracefs.read("trace_options")
    assert refused(tracefs, "trace_options", "funcgraph-proc") == errno.EINVAL
    tracefs.write("options/funcgraph-proc", "1")
    tracefs.write("current_tracer", "function_graph")
    assert "\nfuncgraph-proc\n" in tracefs.read("trace_options")
    tracefs.write("trace_options", "nofuncgraph-proc")
    assert tracefs.read("options/funcgraph-proc") == "0\n"


def test_markers_are_events_of_one_write_each() -> None:
    with booted_machine("x86_64") as machine:
        tracefs = machine.tracefs
        tracefs.write("trace_marker", "hello world")
        handle = build_own_tree(machine.trace_array, machine.ftrace).lookup("trace_marker").open(OpenFlags.WRITE)
        assert handle.write(0, b"no newline") == 10
        assert handle.write(0, b"y" * 2000) == 1024
        markers = re.findall(r"tracing_mark_write: (.*)", tracefs.read("trace"))
        assert markers == ["hello world", "no newline", "y" * 1024]
        tracefs.write("tracing_on", "0")
        assert refused(tracefs, "trace_marker", "x") == errno.EBADF
        tracefs.write("tracing_on", "1")
        tracefs.write("trace_options", "nomarkers")
        assert refused(tracefs, "trace_marker", "x") == errno.EINVAL


def test_trace_is_emptied_by_truncation_only(tracefs: TraceFS, rings: list[RingBuffer]) -> None:
    mark(rings[0], 1000, "a")
    mark(rings[1], 2000, "b")
    tracefs.append("trace", "x")
    assert [ring.entries for ring in rings] == [1, 1]
    tracefs.write("per_cpu/cpu1/trace", "")
    assert [ring.entries for ring in rings] == [1, 0]
    tracefs.write("trace", "")
    assert [ring.entries for ring in rings] == [0, 0]


def test_stats_look_like_those_of_linux(tracefs: TraceFS, trace_array: TraceArray, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = BufferStats(30215, 0, 0, 850180, 76_411_721_999, 77_395_217_000, 0, 0)
    monkeypatch.setattr(trace_array.reader, "buffer_stats", lambda cpu: theirs)
    assert tracefs.read("per_cpu/cpu0/stats") == read_golden("per_cpu-cpu0-stats.txt")
    tracefs.write("trace_clock", "counter")
    assert "\noldest event ts: 76411721999\n" in tracefs.read("per_cpu/cpu0/stats")


def test_another_clock_empties_the_buffer(tracefs: TraceFS, rings: list[RingBuffer]) -> None:
    mark(rings[0], 1000, "a")
    tracefs.write("trace_clock", "x86-tsc")
    assert tracefs.read("trace_clock") == "local global counter uptime perf mono mono_raw boot tai [x86-tsc]\n"
    assert rings[0].entries == 0


def test_enabled_functions_begin_as_those_of_linux(tracefs: TraceFS) -> None:
    """A real kernel gives sites with one user a trampoline of their own; here all of them call the same function."""
    tracefs.write("set_ftrace_filter", "vfs_read vfs_write")
    tracefs.write("current_tracer", "function")
    theirs = read_golden("enabled_functions.function.txt").splitlines()
    assert tracefs.read("enabled_functions").splitlines() == [
        f"{line.split(TAB)[0]} ->ftrace_caller+0x0/0x1" for line in theirs if line.startswith(("vfs_read ", "vfs_write "))
    ]


def test_a_reader_sees_one_text_whatever_changes(root: Any, tracefs: TraceFS) -> None:
    handle = root.lookup("set_ftrace_filter").open(OpenFlags.READ)
    beginning = handle.read(0, 10)
    tracefs.write("set_ftrace_filter", "vfs_open")
    assert beginning + handle.read(10, 1000) == ALL_ENABLED.encode()
    assert handle.read(len(ALL_ENABLED), 1000) == b""
    assert handle.read(0, 1000) == b"vfs_open\n"


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_text_in_pieces_is_one_text(size: int) -> None:
    handle = TextFile(lambda: lambda: ["ab", "", "cdef", "g"]).open(OpenFlags.READ)
    for _ in range(2):
        text = b""
        while piece := handle.read(len(text), size):
            text += bytes(piece)
        assert text == b"abcdefg"
    assert handle.read(1, 1) == b"b"
    assert handle.read(100, 1) == b""


def test_a_handle_does_only_what_it_was_opened_for(root: Any) -> None:
    for name in ("tracing_on", "set_ftrace_filter", "trace_marker"):
        for operation in (
            lambda name=name: root.lookup(name).open(OpenFlags.READ).write(0, b"1\n"),
            lambda name=name: root.lookup(name).open(OpenFlags.WRITE).read(0, 1),
        ):
            with pytest.raises(OSError) as error:
                operation()
            assert error.value.errno == errno.EBADF


@pytest.mark.parametrize(
    ("operation", "path", "code"),
    [
        (TraceFS.read, "nosuch", errno.ENOENT),
        (TraceFS.read, "options", errno.EISDIR),
        (TraceFS.read, "tracing_on/x", errno.ENOTDIR),
        (TraceFS.read, "trace_marker", errno.EINVAL),
        (TraceFS.listdir, "tracing_on", errno.ENOTDIR),
        (TraceFS.read, "trace_pipe/x", errno.ENOTDIR),
        (TraceFS.mkdir, "foo", errno.EPERM),
        (TraceFS.rmdir, "options", errno.EPERM),
        (TraceFS.mkdir, "instances/..", errno.EINVAL),
        (TraceFS.rmdir, "instances/.", errno.EINVAL),
        (TraceFS.mkdir, f"instances/{'x' * 256}", errno.ENAMETOOLONG),
    ],
)
def test_paths_that_cannot_be_used_so(tracefs: TraceFS, operation: Any, path: str, code: int) -> None:
    with pytest.raises(TraceError) as error:
        operation(tracefs, path)
    assert error.value.errno == code
    assert str(error.value).startswith(f"{path}: ")


def test_pids_are_added_and_begun_anew(tracefs: TraceFS, trace_array: TraceArray) -> None:
    assert tracefs.read("set_ftrace_pid") == "no pid\n"
    tracefs.write("set_ftrace_pid", "30 0x10 010")
    tracefs.append("set_ftrace_pid", "4")
    assert tracefs.read("set_ftrace_pid") == "4\n8\n16\n30\n"
    tracefs.write("set_ftrace_pid", "5")
    tracefs.write("set_ftrace_notrace_pid", "6")
    assert (trace_array.recorder.pid_filter.chosen, trace_array.recorder.pid_filter.excluded) == ({5}, {6})
    for wrong in ("abc", "08", "-1", "0x", "5 x", "٣", "1" * 5000):
        with pytest.raises(TraceError):
            tracefs.append("set_ftrace_pid", wrong)
    assert tracefs.read("set_ftrace_pid") == "5\n"
    tracefs.write("set_ftrace_pid", "")
    assert tracefs.read("set_ftrace_pid") == "no pid\n"


def test_there_is_an_end_to_instances(tracefs: TraceFS) -> None:
    for number in range(256):
        tracefs.mkdir(f"instances/{number}")
    with pytest.raises(TraceError) as error:
        tracefs.mkdir("instances/more")
    assert error.value.errno == errno.ENOMEM
    tracefs.rmdir("instances/0")
    tracefs.mkdir("instances/more")


def test_the_machine_settles_after_each_write(root: Any) -> None:
    settled: list[str] = []
    tracefs = TraceFS(root, settle=lambda *limits: settled.append(tracefs.read("current_tracer")))
    tracefs.write("current_tracer", "function")
    assert settled == ["function\n"]


@pytest.mark.parametrize("error", [TraceError(errno.EINVAL, "why"), BrokenPipeError(errno.EPIPE, "the console's")])
def test_what_settling_raises_is_not_changed(root: Any, error: OSError) -> None:
    def settle(*limits: object) -> None:
        raise error

    with pytest.raises(OSError) as raised:
        TraceFS(root, settle).write("current_tracer", "function")
    assert raised.value is error
    assert str(error) in ("current_tracer: why (EINVAL)", "[Errno 32] the console's")
