# SPDX-License-Identifier: GPL-2.0-only
"""Which CPUs and which tasks are traced, and into which buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.cpu import arch as cpu_arch
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import TRACING, shell
from tests.lib.golden import golden_pages
from tests.lib.raw_events import RawReader


@pytest.fixture
def fresh(machine: Machine) -> Iterator[Machine]:
    """The machine; afterwards tracing is restored to the initial state."""
    machine.tracefs.write("buffer_size_kb", "1408")
    yield machine
    for path, text in (
        ("current_tracer", "nop"), ("tracing_on", "1"), ("tracing_cpumask", "3"), ("set_ftrace_filter", ""),
        ("set_ftrace_pid", ""), ("set_ftrace_notrace_pid", ""), ("options/function-fork", "0"),
        ("options/disable_on_free", "0"), ("trace", ""),
    ):  # fmt: skip
        machine.tracefs.write(path, text)
    assert machine.warnings == []


def tasks(machine: Machine) -> set[str]:
    """The tasks in the trace, as `name-pid`."""
    return {line.split()[0] for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")}


# CPUs


def test_masked_cpus_record_nothing(fresh: Machine) -> None:
    script = "echo 2 > tracing_cpumask; echo function > current_tracer; busy 2 1 > /dev/null; grep entries: per_cpu/cpu*/stats"
    counts = [int(line.split()[-1]) for line in shell(fresh, script).splitlines()]
    assert counts[0] == 0
    assert counts[1] > 100
    assert "Bad file descriptor" in shell(fresh, "taskset 1 sh -c 'echo no > trace_marker'")
    shell(fresh, "echo 1 > tracing_cpumask; taskset 1 sh -c 'echo yes > trace_marker'; echo 0 > tracing_on; echo > trace")
    assert "Bad file descriptor" in shell(fresh, "echo 3 > tracing_cpumask; echo no > trace_marker")  # tracing_on is 0


# Tasks

FAMILY = 'true; sh -c "true; exec ls /"; grep -c . /etc/passwd'


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_children_are_traced_with_their_parents(fresh: Machine, tracer: str) -> None:
    shell(
        fresh,
        "echo sys_execve sys_exit_group > set_ftrace_filter; echo 1 > options/function-fork; echo 1 > options/funcgraph-proc",
    )
    program = f"echo $$ > set_ftrace_pid; echo {tracer} > current_tracer; {FAMILY}"
    shell(fresh, f"busy 2 1 > /dev/null & sh -c '{program}' & usleep 50000; uname; wait")
    seen = fresh.tracefs.read("trace")
    for name in ("ls", "grep"):
        assert re.search(rf"\b{name}-\d+", seen)
    assert "busy-" not in seen
    assert "uname-" not in seen
    # They have all ended: the list is empty, which is not the same as a list that was never written.
    assert fresh.tracefs.read("set_ftrace_pid") == ""
    fresh.tracefs.write("trace", "")
    fresh.run("ls /")
    assert tasks(fresh) == set()
    fresh.tracefs.write("set_ftrace_pid", "")
    assert fresh.tracefs.read("set_ftrace_pid") == "no pid\n"


def test_children_are_left_out_with_their_parents(fresh: Machine) -> None:
    setup = "echo sys_execve sys_exit_group > set_ftrace_filter; echo 1 > options/function-fork; echo function > current_tracer"
    program = f"echo $$ > set_ftrace_notrace_pid; {FAMILY}; usleep 100000; cat set_ftrace_notrace_pid > /inside"
    shell(fresh, f"{setup}; sh -c '{program}'; head -1 /init > /dev/null")
    seen = fresh.tracefs.read("trace")
    assert "head-" in seen
    assert "ls-" not in seen
    assert "grep-" not in seen
    # The shell and cat. Ended tasks are gone; usleep only after a grace period.
    assert len(fresh.run("cat /inside").output.split()) <= 3


def test_without_the_option_children_are_on_their_own(fresh: Machine) -> None:
    setup = "echo sys_execve sys_exit_group > set_ftrace_filter; echo function > current_tracer"
    shell(fresh, f"{setup}; sh -c 'echo $$ > set_ftrace_pid; true; {FAMILY}; true'")
    assert len(tasks(fresh)) == 1
    assert len(fresh.tracefs.read("set_ftrace_pid").split()) == 1


# Buffers


def test_buffers_may_differ(fresh: Machine) -> None:
    assert (
        shell(fresh, "echo 10 > per_cpu/cpu1/buffer_size_kb; cat buffer_size_kb per_cpu/cpu*/buffer_size_kb") == "X\n1410\n11\n"
    )
    assert fresh.tracefs.read("buffer_total_size_kb") == "1421\n"
    shell(fresh, "echo function > current_tracer; busy 2 1 > /dev/null; echo 0 > tracing_on")
    sizes = [int(re.search(r"bytes: (\d+)", fresh.tracefs.read(f"per_cpu/cpu{cpu}/stats"))[1]) for cpu in (0, 1)]  # type: ignore[index]
    assert sizes[1] <= 4 * 4080 < sizes[0]
    assert shell(fresh, "echo 0 > per_cpu/cpu0/buffer_size_kb").endswith("Invalid argument\n")
    assert shell(fresh, "echo 1 > buffer_size_kb; cat buffer_size_kb") == "7\n"


def test_closing_free_buffer_frees_the_buffers(fresh: Machine) -> None:
    assert shell(fresh, "{ cat buffer_size_kb; } > free_buffer; cat buffer_size_kb tracing_on") == "7\n1\n"
    # The end of the process that has it open counts, too.
    script = "echo 1408 > buffer_size_kb; echo 1 > options/disable_on_free; sh -c 'exec 3> free_buffer; kill -9 $$'"
    assert shell(fresh, f"{script}; cat buffer_size_kb tracing_on").split()[-2:] == ["7", "0"]


def test_raw_pages_hold_what_was_recorded(arch: str, fresh: Machine) -> None:
    """In the byte order of the program that reads them, as the golden is in that of its own."""
    order = cpu_arch.load(arch).byte_order
    script = 'echo m1 > trace_marker; printf "\\001\\002\\003\\004abcdefgh" > trace_marker_raw'
    shell(fresh, f"echo > trace; taskset 1 sh -c '{script}'")
    number = int.from_bytes(b"\1\2\3\4", order)
    assert re.search(rf"# {number:x} buf: 61 62 63 64 65 66 67 68( 00){{8}}\n", fresh.tracefs.read("trace"))
    size = shell(fresh, "cat per_cpu/cpu0/trace_pipe_raw > /raw & usleep 20000; kill $!; wait; wc -c < /raw")
    assert int(size) == 4096
    page = fresh.run("cat /raw").output
    golden = golden_pages("markers-timeextend").tobytes()
    texts = [fresh.tracefs.read(f"events/{name}") for name in ("header_page", "header_event")]
    formats = [fresh.tracefs.read(f"events/ftrace/{name}/format") for name in ("print", "raw_data")]
    ours = list(RawReader(order, *texts, formats).events(page))
    theirs = list(RawReader("little", *texts, formats).events(golden))
    assert [event.name for event in ours] == [theirs[0].name, theirs[2].name] == ["print", "raw_data"]
    for our, their, size in (ours[0], theirs[0], 4), (ours[1], theirs[2], 8):  # Linux does not clear the bytes it does not need
        assert our.fields["buf"][:size] == their.fields["buf"][:size]
    assert ours[1].fields["id"] == number
    assert "m1" not in fresh.tracefs.read("trace")  # reading consumed them


def test_raw_pages_come_in_pieces(fresh: Machine) -> None:
    fresh.run(f"echo one > {TRACING}/trace_marker")
    reader = "dd if=per_cpu/cpu$cpu/trace_pipe_raw bs=512 count=8 2> /dev/null"
    pieces = f"for cpu in 0 1; do {reader} & pids=\"$pids $!\"; done; usleep 20000; kill $pids"
    assert len(machine_output := fresh.run(f"cd {TRACING}; {{ {pieces}; }} 2> /dev/null").output) == 4096
    assert b"one\n" in machine_output


@pytest.mark.parametrize("size", [0, 3, 3073])
def test_raw_markers_have_a_number(fresh: Machine, size: int) -> None:
    output = shell(fresh, f"dd if=/dev/zero of=trace_marker_raw bs={max(size, 1)} count={min(size, 1)} 2>&1")
    assert ("Invalid argument" in output) == (size > 0)


def test_clocks_say_when_something_was(fresh: Machine) -> None:
    tracefs, board = fresh.tracefs, fresh.board
    own = fresh.ftrace.arch.cycle_clock
    assert tracefs.read("trace_clock") == f"[local] global counter uptime perf mono mono_raw boot tai {own}\n"
    tracefs.write("set_ftrace_filter", "sys_getpid")
    tracefs.write("current_tracer", "function")
    boot = int(fresh.run("date +%s").output) - board.nanoseconds(board.now) // 10**9
    scales = {"uptime": (100, 0), "tai": (1, boot), own: (board.frequency, 0)}
    for clock in ("global", "perf", "mono", "mono_raw", "boot", "uptime", "tai", own):
        tracefs.write("trace_clock", clock)
        before = board.now
        fresh.run("getpid")
        times = [float(time) for time in re.findall(r" ([\d.]+): sys_getpid", tracefs.read("trace"))]
        scale, start = scales.get(clock, (1, 0))
        assert times, clock
        for time in times:
            assert before / board.frequency - 0.01 <= time / scale - start <= board.now / board.frequency, clock


def test_no_names_are_remembered_before_anything_is_recorded(arch: str) -> None:
    with booted_machine(arch) as machine:
        assert machine.run("cat /sys/kernel/tracing/trace > /dev/null; cat /sys/kernel/tracing/saved_cmdlines").output == b""
        assert machine.run("echo x > /sys/kernel/tracing/trace_marker; cat /sys/kernel/tracing/saved_cmdlines").output
