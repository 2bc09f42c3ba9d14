# SPDX-License-Identifier: GPL-2.0-only
"""snapshot: the recorded events are kept, and recording continues. pause-on-trace: nothing is recorded during a read."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.ring_buffer import RingBuffer, events_in
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.kernel.files.node import Handle, OpenFlags, Readiness, WouldBlock
from emu.machine import Machine
from tests.ftrace.conftest import mark
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import TRACING, run, shell
from tests.lib.event_lines import event_lines
from tests.lib.golden import read_golden

CPUS = (0, 1)

CPU_HELP = """\
# tracer: nop
#
#
# * Snapshot is freed *
#
# Snapshot commands:
# echo 0 > snapshot : Invalid for per_cpu snapshot file.
# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.
#                      Takes a snapshot of the main buffer for this cpu.
# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)
#                      (Doesn't have to be '2' works with any number that
#                       is not a '0' or '1')
"""


class Traced:
    """An array whose CPUs record markers."""

    def __init__(self, tracefs: TraceFS, array: TraceArray, directory: str) -> None:
        self.array, self._tracefs, self._directory = array, tracefs, directory
        self._time = 0

    def write(self, path: str, text: str) -> int:
        """The errno of a write; 0: success."""
        try:
            self._tracefs.write(f"{self._directory}{path}", text)
        except TraceError as error:
            return error.errno or -1
        return 0

    def read(self, path: str) -> str:
        return self._tracefs.read(f"{self._directory}{path}")

    def mark(self, *texts: str) -> None:
        """Records a marker on each CPU that records: on CPU n, `an` for `a`."""
        for text, ring in product(texts, self.array.recorder.rings):
            self._time += 1000
            if ring.recording:
                mark(ring, self._time, f"{text}{ring.cpu}")

    def marks(self, path: str) -> list[str]:
        return re.findall(r" 0: (\w+)$", self.read(path), re.MULTILINE)

    def parts(self, name: str) -> list[list[str]]:
        """The markers of each CPU in its `snapshot` or `trace`. The file for all CPUs must have the same ones."""
        parts = [self.marks(f"per_cpu/cpu{cpu}/{name}") for cpu in CPUS]
        assert sorted(self.marks(name)) == sorted(text for part in parts for text in part)
        return parts

    @property
    def state(self) -> tuple[bool, list[list[str]], list[list[str]]]:
        """Whether there is room for a snapshot, the recorded markers, and those in the snapshot."""
        return self.array.recorder.snapshot_allocated, self.parts("trace"), self.parts("snapshot")


@pytest.fixture(params=["", "instances/foo/"], ids=["top", "instance"])
def traced(tracefs: TraceFS, trace_array: TraceArray, request: pytest.FixtureRequest) -> Traced:
    if not request.param:
        return Traced(tracefs, trace_array, "")
    tracefs.mkdir("instances/foo")
    return Traced(tracefs, trace_array.instances["foo"], request.param)


@pytest.mark.parametrize("switches", [{}, {"tracing_on": "0"}, {"tracing_cpumask": "2"}], ids=["on", "off", "masked"])
@pytest.mark.parametrize("cpu", [None, 0, 1])
@pytest.mark.parametrize("number", ["0", "1", "2", "18446744073709551615"])
@pytest.mark.parametrize("allocated", [False, True])
def test_what_each_number_does(traced: Traced, allocated: bool, number: str, cpu: int | None, switches: dict[str, str]) -> None:
    old: list[list[str]] = [[], []]
    if allocated:
        traced.mark("s")
        assert traced.write("snapshot", "1") == 0
        old = [["s0"], ["s1"]]
    traced.mark("m")
    for path, text in switches.items():
        traced.write(path, text)
    main, cpus = [["m0"], ["m1"]], CPUS if cpu is None else (cpu,)
    assert traced.state == (allocated, main, old)

    wanted = errno.EINVAL if number == "0" and cpu is not None else 0
    assert traced.write("snapshot" if cpu is None else f"per_cpu/cpu{cpu}/snapshot", number) == wanted

    records = [not switches, not switches or "tracing_cpumask" in switches]  # on each CPU
    spare = list(old)
    if number == "0":
        if cpu is None:
            allocated, spare = False, [[], []]
    elif number == "1":
        allocated = True
        for index in cpus:
            if cpu is None or records[index]:  # as in Linux: a single CPU only while it records
                main[index], spare[index] = spare[index], main[index]
    else:
        for index in cpus:
            spare[index] = []
    assert traced.state == (allocated, main, spare)

    traced.mark("n")
    expected = [[*texts, f"n{index}"] if records[index] else texts for index, texts in enumerate(main)]
    assert traced.state == (allocated, expected, spare)
    for path in switches:
        traced.write(path, "3")
    traced.mark("o")
    assert traced.state == (allocated, [[*texts, f"o{index}"] for index, texts in enumerate(expected)], spare)


@pytest.mark.parametrize(("text", "code"), [("x", errno.EINVAL), ("-1", errno.EINVAL), ("", errno.EINVAL), ("0x1", errno.EINVAL),
                                            ("1 1", errno.EINVAL), ("18446744073709551616", errno.ERANGE)])  # fmt: skip
@pytest.mark.parametrize("path", ["snapshot", "per_cpu/cpu1/snapshot"])
def test_what_is_no_number_changes_nothing(traced: Traced, path: str, text: str, code: int) -> None:
    size = traced.read("buffer_size_kb")
    traced.mark("m")
    assert traced.write(path, text) == code
    assert traced.state == (False, [["m0"], ["m1"]], [[], []])
    assert traced.read("buffer_size_kb") == size


def test_help(traced: Traced) -> None:
    assert traced.read("snapshot") == read_golden("file-snapshot.initial.txt")
    assert traced.read("per_cpu/cpu1/snapshot") == CPU_HELP
    traced.write("snapshot", "1")
    assert traced.read("snapshot") == read_golden("snapshot.empty.txt")
    assert traced.read("per_cpu/cpu1/snapshot") == CPU_HELP.replace("freed", "allocated")
    traced.mark("m")
    traced.write("per_cpu/cpu1/snapshot", "1")
    assert "Snapshot" not in traced.read("snapshot") + traced.read("per_cpu/cpu1/snapshot")
    assert traced.read("per_cpu/cpu0/snapshot") == CPU_HELP.replace("freed", "allocated")
    traced.write("snapshot", "2")
    assert traced.read("snapshot") == read_golden("snapshot.cleared.txt")
    traced.write("snapshot", "0")
    assert traced.read("snapshot") == read_golden("snapshot.freed.txt")


def test_the_first_snapshot_expands_the_buffer(tracefs: TraceFS) -> None:
    assert tracefs.read("buffer_size_kb") == "7 (expanded: 1408)\n"
    tracefs.write("snapshot", "1")
    assert tracefs.read("buffer_size_kb") == "1410\n"
    assert tracefs.read("buffer_total_size_kb") == "2820\n"


def sizes(traced: Traced) -> list[int]:
    return [int(traced.read(f"per_cpu/cpu{cpu}/buffer_size_kb")) for cpu in CPUS]


def test_a_snapshot_gives_the_spare_buffer_the_size_of_the_other(traced: Traced) -> None:
    traced.write("per_cpu/cpu0/buffer_size_kb", "20")
    traced.write("per_cpu/cpu1/buffer_size_kb", "100")
    before = sizes(traced)
    for _ in range(3):
        assert traced.write("snapshot", "1") == 0
        assert sizes(traced) == before
    traced.write("buffer_size_kb", "200")
    spares = traced.array.recorder._buffers.of(None, spare=True)
    assert [ring.pages * 4080 // 1024 for ring in spares] == before, "until the next snapshot"
    after = sizes(traced)
    traced.write("per_cpu/cpu1/snapshot", "1")
    assert [ring.pages * 4080 // 1024 for ring in spares] == [before[0], after[1]]
    traced.write("snapshot", "1")
    assert sizes(traced) == after
    traced.mark(*(f"m{number}x" for number in range(1500)))
    assert [len(texts) for texts in traced.parts("trace")] == [1500, 1500]
    traced.write("snapshot", "1")
    assert [len(texts) for texts in traced.parts("snapshot")] == [1500, 1500]


def test_a_snapshot_without_memory_is_refused(traced: Traced, monkeypatch: pytest.MonkeyPatch) -> None:
    traced.mark("m")
    traced.write("buffer_size_kb", "100")
    with monkeypatch.context() as patch:
        patch.setattr(RingBuffer, "_allocate", _fail)
        for path in ("snapshot", "per_cpu/cpu0/snapshot"):
            assert traced.write(path, "1") == errno.ENOMEM
            assert traced.state == (False, [["m0"], ["m1"]], [[], []])
    traced.write("snapshot", "1")
    traced.mark("n")
    traced.write("buffer_size_kb", "200")
    with monkeypatch.context() as patch:
        patch.setattr(RingBuffer, "_allocate", _fail)
        assert traced.write("snapshot", "1") == errno.ENOMEM
    assert traced.state == (True, [["n0"], ["n1"]], [["m0"], ["m1"]])


def _fail(ring: RingBuffer, pages: int) -> None:
    raise MemoryError


def test_what_empties_which(traced: Traced) -> None:
    def fill() -> None:
        for path in ("trace", "snapshot"):
            traced.write(path, "2")
        traced.mark("s")
        traced.write("snapshot", "1")
        traced.mark("m")

    fill()
    traced.write("trace", "")
    assert traced.state == (True, [[], []], [["s0"], ["s1"]])
    fill()
    traced.write("per_cpu/cpu0/trace", "")
    assert traced.state == (True, [[], ["m1"]], [["s0"], ["s1"]])
    fill()
    traced.write("current_tracer", "function")
    traced.write("current_tracer", "nop")
    assert traced.state == (True, [[], []], [["s0"], ["s1"]])
    fill()
    traced.write("trace_clock", "counter")
    assert traced.state == (True, [[], []], [[], []])


def test_each_array_has_its_own_snapshot(tracefs: TraceFS, trace_array: TraceArray) -> None:
    tracefs.mkdir("instances/foo")
    tracefs.mkdir("instances/bar")
    arrays = [Traced(tracefs, trace_array, ""),
              *(Traced(tracefs, trace_array.instances[name], f"instances/{name}/") for name in ("foo", "bar"))]  # fmt: skip
    for array in arrays:
        array.mark("m")
    arrays[1].write("snapshot", "1")
    states = [(False, [["m0"], ["m1"]], [[], []]), (True, [[], []], [["m0"], ["m1"]])]
    assert [array.state for array in arrays] == [states[0], states[1], states[0]]
    tracefs.rmdir("instances/foo")
    arrays[0].write("snapshot", "1")
    assert [array.state for array in (arrays[0], arrays[2])] == [states[1], states[0]]


@pytest.fixture
def opened(traced: Traced, root: Any) -> Iterator[Callable[[str], Handle]]:
    """Opens files of the array for reading. They are closed at the end."""
    handles: list[Handle] = []

    def opened(path: str, flags: OpenFlags = OpenFlags.READ) -> Handle:
        node = root
        for name in f"{traced._directory}{path}".split("/"):
            node = node.lookup(name)
        handles.append(node.open(flags))
        return handles[-1]

    yield opened
    for handle in handles:
        handle.release()


def test_pipes_read_what_is_recorded(traced: Traced, opened: Callable[[str], Handle]) -> None:
    pipe, raw = opened("per_cpu/cpu0/trace_pipe"), opened("per_cpu/cpu1/trace_pipe_raw")

    def read() -> tuple[list[str], list[bytes]]:
        text, page = pipe.read(0, 4096), raw.read(0, 4096)
        return (
            re.findall(r": (\w+)\n", text.decode()) if isinstance(text, bytes) else [],
            re.findall(rb"m\d+", page) if isinstance(page, bytes) else [],
        )

    traced.mark("m1", "m2")
    traced.write("snapshot", "1")
    assert read() == ([], [])
    traced.mark("m3", "m4")
    traced.read("snapshot")
    assert read() == (["m30", "m40"], [b"m31", b"m41"])
    traced.mark("m5")
    traced.write("snapshot", "1")
    assert read() == (["m10", "m20"], [b"m11", b"m21"]), "the spare buffers' events"
    assert traced.parts("snapshot") == [["m50"], ["m51"]]


def test_pages_of_the_snapshot(traced: Traced, opened: Callable[[str], Handle]) -> None:
    raw = opened("per_cpu/cpu1/snapshot_raw")
    traced.mark("m")
    assert isinstance(raw.read(0, 4096), WouldBlock)
    assert raw.poll() == Readiness(0)
    traced.write("snapshot", "1")
    traced.mark("n")
    assert raw.poll() == Readiness.READABLE
    first, rest = raw.read(0, 100), raw.read(0, 4096)
    assert isinstance(first, bytes)
    assert isinstance(rest, bytes)
    page = np.frombuffer(first + rest, np.uint8)
    assert len(page) == 4096
    assert len(events_in(page.reshape(1, -1), cpu=1)) == 1
    assert b"m1\n\0" in first + rest
    assert isinstance(raw.read(0, 4096), WouldBlock)
    assert traced.state == (True, [["n0"], ["n1"]], [["m0"], []])
    traced.write("snapshot", "0")
    assert isinstance(raw.read(0, 4096), WouldBlock)
    assert traced.write("current_tracer", "function") == errno.EBUSY, "as while a trace_pipe is open"


def test_nothing_is_recorded_while_trace_is_read(traced: Traced, opened: Callable[..., Handle]) -> None:
    def records() -> list[bool]:
        return [ring.recording for ring in traced.array.recorder.rings]

    opened("trace")
    assert records() == [True, True], "the option is off"
    assert traced.write("trace_options", "pause-on-trace") == 0
    assert records() == [True, True]
    first, second = opened("trace"), opened("per_cpu/cpu1/trace")
    assert records() == [False, False]
    assert traced.read("tracing_on") == "1\n"
    traced.write("tracing_on", "0")
    traced.write("tracing_on", "1")
    traced.write("tracing_cpumask", "2")
    assert records() == [False, False]
    first.release()
    first.release()
    assert records() == [False, False]
    traced.write("trace_options", "nopause-on-trace")
    second.release()
    assert records() == [False, True]
    traced.write("tracing_cpumask", "3")
    traced.write("trace_options", "pause-on-trace")
    opened("trace", OpenFlags.WRITE | OpenFlags.TRUNCATE)
    for path in ("snapshot", "per_cpu/cpu0/snapshot", "per_cpu/cpu0/snapshot_raw", "trace_pipe"):
        opened(path)
    assert records() == [True, True]


def test_no_snapshot_is_taken_of_what_is_paused(traced: Traced, opened: Callable[[str], Handle]) -> None:
    traced.mark("m")
    traced.write("options/pause-on-trace", "1")
    trace = opened("trace")
    for path in ("snapshot", "per_cpu/cpu0/snapshot"):
        assert traced.write(path, "1") == 0
    trace.release()
    assert traced.state == (True, [["m0"], ["m1"]], [[], []])
    traced.write("snapshot", "1")
    assert traced.state == (True, [[], []], [["m0"], ["m1"]])
    traced.mark("n")
    assert traced.parts("trace") == [["n0"], ["n1"]]


def test_reading_from_the_host_pauses(tracefs: TraceFS, trace_array: TraceArray) -> None:
    tracefs.write("options/pause-on-trace", "1")
    pieces = tracefs.read_pieces("trace")
    next(pieces)
    assert not any(ring.recording for ring in trace_array.recorder.rings)
    assert list(pieces) != []
    assert all(ring.recording for ring in trace_array.recorder.rings)


# In a guest

SESSION = """
    cat snapshot > /tmp/initial; echo 1 > snapshot; cat snapshot > /tmp/empty
    echo 1 > events/sched/sched_switch/enable; sleep 0.1; echo 1 > snapshot; cat snapshot > /tmp/taken; cat trace > /tmp/after
    echo 2 > snapshot; cat snapshot > /tmp/cleared; echo 0 > snapshot; cat snapshot > /tmp/freed
    echo 0 > events/sched/sched_switch/enable; echo > trace
"""


def header(text: str) -> str:
    """The header of a trace, without the number of events."""
    return re.sub(r"\d+/\d+", "N/N", text[: text.index("\n", text.rindex("\n#") + 1)])


def test_a_session_looks_like_that_of_linux(machine: Machine) -> None:
    assert shell(machine, SESSION) == ""
    texts = {name: run(machine, f"cat /tmp/{name}") for name in ("initial", "empty", "taken", "after", "cleared", "freed")}
    assert texts["initial"] == read_golden("file-snapshot.initial.txt")
    for name in ("empty", "cleared", "freed"):
        assert texts[name] == read_golden(f"snapshot.{name}.txt")
    for name, theirs in (("taken", read_golden("snapshot.taken.txt")), ("after", read_golden("snapshot.trace-after.txt"))):
        assert header(texts[name]) == header(theirs)
        assert {line.name for line in event_lines(texts[name])} == {"sched_switch"} == {line.name for line in event_lines(theirs)}
    taken, after = event_lines(texts["taken"]), event_lines(texts["after"])
    assert f"{len(taken)}/{len(taken)} " in texts["taken"]
    assert max(line.time for line in taken) <= min(line.time for line in after)
    for cpu in CPUS:  # nothing is missing between the two
        ours = [line for line in (*taken, *after) if line.cpu == cpu]
        assert all(line["next_pid"] == following["prev_pid"] for line, following in pairwise(ours))


def test_the_files_are_as_in_linux(machine: Machine) -> None:
    listed = shell(machine, "ls -l snapshot per_cpu/cpu1/snapshot per_cpu/cpu1/snapshot_raw")
    assert re.findall(r"^(\S+).* (\S+)$", listed, re.MULTILINE) == [
        ("-rw-r-----", "per_cpu/cpu1/snapshot"),
        ("-r--r-----", "per_cpu/cpu1/snapshot_raw"),
        ("-rw-r-----", "snapshot"),
    ]
    assert shell(machine, "echo 0 > per_cpu/cpu0/snapshot").endswith("Invalid argument\n")
    assert shell(machine, "echo on > snapshot").endswith("Invalid argument\n")


def test_a_program_reads_the_pages_of_a_snapshot(machine: Machine) -> None:
    script = """
        taskset 2 sh -c 'echo kept > trace_marker'; echo 1 > snapshot; taskset 2 sh -c 'echo later > trace_marker'
        head -c 4096 per_cpu/cpu1/snapshot_raw | grep -ao 'kept\\|later'
        grep -c 'kept$' snapshot; grep -c 'later$' trace; echo 0 > snapshot; echo > trace
    """
    assert shell(machine, script).splitlines() == ["kept", "0", "1"]


def test_a_task_that_reads_trace_pauses_it(machine: Machine) -> None:
    script = """
        echo 1 > options/pause-on-trace; echo before > trace_marker
        exec 3< trace; exec 4< per_cpu/cpu0/trace; exec 3<&-
        echo between > trace_marker; cat tracing_on
        exec 4<&-; echo after > trace_marker
        sh -c 'exec 3< trace; kill -9 $$'; echo killed > trace_marker
        echo 0 > options/pause-on-trace; grep -o 'tracing_mark_write.*' trace; echo > trace
    """
    said = shell(machine, f"({script}) 2>&1").splitlines()
    assert [line.rpartition(": ")[2] for line in said if "Killed" not in line] == [
        "Bad file descriptor", "1", "before", "after", "killed"
    ]  # fmt: skip


def test_a_module_takes_its_events_with_it(machine: Machine) -> None:
    script = """
        modprobe event_cost; echo 1 > events/event_cost/enable; echo 3 > /sys/module/event_cost/parameters/calls
        echo 1 > snapshot; grep -c event_cost_fixed: snapshot; rmmod event_cost; cat snapshot; echo 0 > snapshot
    """
    count, _, text = shell(machine, script).partition("\n")
    assert int(count) == 3
    assert text == read_golden("snapshot.empty.txt")


def test_a_snapshot_is_the_same_every_time(arch: str) -> None:
    def session() -> str:
        with booted_machine(arch, cpus=2) as machine:
            return shell(machine, f"{SESSION}; cd /tmp; cat taken after") + str(machine.advance(1_000_000))

    assert session() == session()


def test_a_reader_waits_for_a_snapshot(machine: Machine) -> None:
    script = f"""
        cd {TRACING}; echo kept > trace_marker; for n in 0 1; do cat per_cpu/cpu$n/snapshot_raw > /tmp/raw$n & done
        sleep 0.01; cat /tmp/raw0 /tmp/raw1 | wc -c; echo 1 > snapshot; sleep 0.01; cat /tmp/raw0 /tmp/raw1 | wc -c
        kill %1 %2; wait 2> /dev/null; echo 0 > snapshot; echo > trace; true
    """
    assert run(machine, script).split() == ["0", "4096"]
