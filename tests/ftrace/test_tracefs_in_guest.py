# SPDX-License-Identifier: GPL-2.0-only
"""tracefs as the guest's own shell and programs use it, while its CPUs run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import TRACING, shell

# Reads of these change their content, or never end.
UNSTEADY = re.compile(r"(per_cpu/cpu\d+/)?(trace_pipe(_raw)?|snapshot_raw|stats|trace_marker(_raw)?|free_buffer|saved_cmdlines)")
# There are many events: the files of two systems represent all of them.
OTHER_EVENTS = re.compile(r"events/(?!ftrace/|irq/)\w+/.*|.*/inject")


@pytest.fixture
def fresh(machine: Machine) -> Iterator[Machine]:
    """The machine; afterwards tracing is restored to the initial state."""
    yield machine
    for path, text in (
        ("current_tracer", "nop"), ("tracing_on", "1"), ("set_ftrace_filter", ""), ("set_ftrace_notrace", ""),
        ("set_graph_function", ""), ("set_ftrace_pid", ""), ("set_ftrace_notrace_pid", ""), ("max_graph_depth", "0"),
        ("trace_clock", "local"), ("buffer_size_kb", "1408"), ("buffer_percent", "50"),
        ("trace_options", "nosym-addr"), ("trace", ""),
    ):  # fmt: skip
        machine.tracefs.write(path, text)
    assert machine.warnings == []


def files(machine: Machine, path: str = "") -> Iterator[str]:
    """The paths of all files of the tree."""
    for name in machine.tracefs.listdir(path):
        full = f"{path}/{name}".lstrip("/")
        try:
            machine.tracefs.listdir(full)
        except OSError:
            yield full
        else:
            yield from files(machine, full)


def traceable(machine: Machine) -> int:
    """The number of traceable functions."""
    return len(machine.tracefs.read("available_filter_functions").splitlines())


def bodies(trace: str) -> list[str]:
    """The lines of a trace without its header."""
    return [line for line in trace.splitlines() if not line.startswith("#")]


# Reading


def test_every_file_says_in_the_guest_what_it_says_to_python(fresh: Machine) -> None:
    fresh.tracefs.write("set_ftrace_filter", "vfs_*")
    fresh.tracefs.write("tracing_on", "0")
    steady = [path for path in files(fresh) if not UNSTEADY.fullmatch(path) and not OTHER_EVENTS.fullmatch(path)]
    assert len(steady) > 30
    for path in steady:
        assert shell(fresh, f"cat {path}") == fresh.tracefs.read(path), path


def test_it_can_be_mounted_any_number_of_times(fresh: Machine) -> None:
    fresh.run("mkdir /a /b /c; mount -t tracefs nodev /a; mount -t tracefs tracefs /b; mount -t debugfs nodev /c")
    places = ("/a", "/b", "/c/tracing", TRACING, "/sys/kernel/debug/tracing")
    for value, place in enumerate(places):
        fresh.run(f"echo {value} > {place}/max_graph_depth")
        assert [fresh.run(f"cat {other}/max_graph_depth").output for other in places] == [b"%d\n" % value] * len(places)
    fresh.run("umount /a; umount /c/tracing; umount /c")
    assert fresh.run("ls /a /c").output == b"/a:\n\n/c:\n"
    assert fresh.run("echo 7 > /b/max_graph_depth; cat /b/max_graph_depth; umount /b").output == b"7\n"
    assert fresh.tracefs.read("max_graph_depth") == "7\n"


def test_small_reads_give_the_same_text(machine: Machine) -> None:
    # The shell's `read` reads one byte at a time.
    by_bytes = shell(machine, 'while read -r line; do echo "$line"; done < trace_options')
    assert by_bytes == machine.tracefs.read("trace_options")
    assert shell(machine, "{ read -r a; read -r b; echo $b; } < available_filter_functions").rstrip() == (
        machine.tracefs.read("available_filter_functions").splitlines()[1]
    )


# Writing


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("echo x > nosuch", "Permission denied"),
        ("echo x > nosuch/file", "nonexistent"),
        ("mkdir foo", "Operation not permitted"),
        ("mkdir options/foo", "Operation not permitted"),
        ("rmdir options", "Operation not permitted"),
        ("rm trace", "Operation not permitted"),
        ("mv trace trace2", "Operation not permitted"),
        ("ln trace trace2", "Operation not permitted"),
        ("cat trace_marker", "Invalid argument"),
        ("cat options", "Is a directory"),
        ("cat trace/x", "Not a directory"),
    ],
)
def test_what_is_not_for_users_to_do(machine: Machine, command: str, error: str) -> None:
    assert error in shell(machine, command)


def test_redirections_append_or_begin_anew(fresh: Machine) -> None:
    script = "echo vfs_read > set_ftrace_filter; echo vfs_write >> set_ftrace_filter; cat set_ftrace_filter"
    assert set(shell(fresh, script).split()) == {"vfs_read", "vfs_write"}
    assert shell(fresh, "echo vfs_open > set_ftrace_filter; cat set_ftrace_filter") == "vfs_open\n"
    assert shell(fresh, "echo '!vfs_open' >> set_ftrace_filter; cat set_ftrace_filter") == "#### all functions enabled ####\n"
    assert shell(fresh, "echo vfs_open > set_ftrace_filter; > set_ftrace_filter; cat set_ftrace_filter").startswith("####")
    assert "marker" not in shell(fresh, "echo marker > trace_marker; echo >> trace; > trace; cat trace")
    assert "marker" in shell(fresh, "echo marker > trace_marker; echo >> trace; cat trace")


def test_a_word_may_be_split_over_writes_of_one_opening(fresh: Machine) -> None:
    script = "{ echo -n vfs_; echo -n re; echo ad vfs_open; } > set_ftrace_filter; cat set_ftrace_filter"
    assert set(shell(fresh, script).split()) == {"vfs_read", "vfs_open"}


def test_numbers_words_and_sizes_without_end_are_refused(fresh: Machine) -> None:
    shell(fresh, "x=1; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do x=$x$x; done; echo $x > /digits")
    for path in ("set_ftrace_filter", "set_ftrace_pid", "tracing_on", "max_graph_depth", "buffer_size_kb"):
        assert "error writing" in shell(fresh, f"dd if=/digits of={path} bs=16k"), path
    assert "Cannot allocate memory" in shell(fresh, "echo 18446744073709551615 > buffer_size_kb")
    word = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf %0100d 7 || break; done > set_ftrace_filter; echo $i"
    assert shell(fresh, word).splitlines()[-1] == "11"


def test_a_filter_longer_than_any_write(fresh: Machine) -> None:
    names = list(dict.fromkeys(fresh.tracefs.read("available_filter_functions").split()))
    assert shell(fresh, "cat available_filter_functions > set_ftrace_notrace; cat set_ftrace_notrace | sed -n '$='") == (
        f"{traceable(fresh)}\n"
    )
    assert len("\n".join(names)) > 16 << 10


# Tracing from within


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_the_next_command_is_traced_wherever_it_runs(arch: str, tracer: str) -> None:
    with booted_machine(arch, cpus=4) as machine:
        machine.tracefs.write("buffer_size_kb", "100")
        for turn in range(2):
            script = f"busy 4 1 > /dev/null & echo {tracer} > current_tracer; cat enabled_functions > /e; cat trace > /t"
            shell(machine, f"{script}; echo nop > current_tracer; cat enabled_functions > /n; wait")
            enabled = machine.run("sed -n '$=' /e").output
            assert int(enabled) == traceable(machine), turn
            assert machine.run("cat /n").output == b""
        assert machine.warnings == []


def test_a_script_traces_itself_and_nothing_else(fresh: Machine) -> None:
    """As in the ftrace document."""
    program = "echo $$ > set_ftrace_pid; echo function > current_tracer; exec \"$@\""
    script = f"busy 2 1 > /dev/null & sh -c '{program}' sh ls /bin > /dev/null; cat trace; wait"
    lines = bodies(shell(fresh, script))
    tasks = {line.split()[0] for line in lines}
    assert len({task.rpartition("-")[2] for task in tasks}) == 1
    assert any("iterate_dir <-" in line for line in lines)  # the calls of ls are there


def test_pids_can_be_left_out(fresh: Machine) -> None:
    program = "echo $$ > set_ftrace_notrace_pid; echo function > current_tracer; exec ls /bin"
    lines = bodies(shell(fresh, f"sh -c '{program}' > /dev/null; cat trace"))
    assert lines
    assert not any("ls-" in line.split()[0] for line in lines)


def test_a_traced_command_stops_and_starts_its_own_tracing(fresh: Machine) -> None:
    fresh.tracefs.write("set_ftrace_filter", "sys_getpid do_filp_open")
    fresh.tracefs.write("current_tracer", "function")
    script = f"""
        getpid > /dev/null
        exec 3> {TRACING}/tracing_on
        echo 0 >&3; getpid > /dev/null; getpid > /dev/null; echo 1 >&3
        getpid > /dev/null
        echo 0 >&3
    """
    fresh.run(script)
    calls = [line.split()[0] for line in bodies(fresh.tracefs.read("trace")) if "sys_getpid" in line]
    assert sum(task.startswith("getpid-") for task in calls) == 2


def test_a_marker_is_where_and_when_it_was_written(fresh: Machine) -> None:
    fresh.tracefs.write("set_ftrace_filter", "ksys_write vfs_write")
    fresh.tracefs.write("current_tracer", "function")
    fresh.run(f"exec 4> {TRACING}/trace_marker; echo one >&4; echo two >&4; echo three >&4")
    lines = bodies(fresh.tracefs.read("trace"))
    markers = [number for number, line in enumerate(lines) if "tracing_mark_write" in line]
    assert [lines[number].split()[-1] for number in markers] == ["one", "two", "three"]
    for number in markers:
        write = next(line for line in reversed(lines[:number]) if "vfs_write" in line)
        # The same task, CPU and flags, and no earlier than its cause.
        assert lines[number].split()[:3] == write.split()[:3]
        assert float(lines[number].split()[3][:-1]) >= float(write.split()[3][:-1])


def test_the_servers_own_functions_are_traced_like_others(fresh: Machine) -> None:
    script = "echo 'hostfs_*' > set_ftrace_filter; echo function_graph > current_tracer; cat README > /dev/null"
    shell(fresh, f"{script}; echo function > current_tracer; cat README > /dev/null; cat trace > /t; echo nop > current_tracer")
    lines = fresh.run("cat /t").output.decode()
    for function in ("hostfs_open", "hostfs_read_iter", "hostfs_ask", "hostfs_release"):
        assert re.search(rf"cat-\d+ .*: {function} <-", lines)


# Waiting


def test_a_pipe_waits_for_events_and_ends_with_recording(fresh: Machine) -> None:
    script = """
        { cat trace_pipe > /p; echo ended > /e; } &
        usleep 20000; echo one > trace_marker; usleep 20000; cat /p; echo two > trace_marker; usleep 20000
        echo 0 > tracing_on; wait; cat /e; cat /p
    """
    seen = re.findall(r"tracing_mark_write: (\w+)|(ended)", shell(fresh, script))
    assert ["".join(pair) for pair in seen] == ["one", "ended", "one", "two"]


def test_two_readers_wait_at_once_and_one_is_killed(fresh: Machine) -> None:
    script = """
        cat trace_pipe > /p0 & a=$!
        cat per_cpu/cpu0/trace_pipe > /p1 & b=$!
        usleep 20000; kill $a; wait $a; echo $?
        cat current_tracer; echo function > current_tracer
        kill $b; wait $b; echo $?; echo function > current_tracer; cat current_tracer
    """
    output = shell(fresh, script)
    assert "Device or resource busy" in output
    assert [line for line in output.split() if line in ("143", "nop", "function")] == ["143", "nop", "143", "function"]


@pytest.mark.parametrize(
    ("directory", "pipe"),
    [("", "trace_pipe"), ("", "per_cpu/cpu0/trace_pipe"), ("", "per_cpu/cpu0/trace_pipe_raw"), ("instances/foo/", "trace_pipe")],
)
def test_pipes_are_polled_and_cannot_be_sought(fresh: Machine, directory: str, pipe: str) -> None:
    path, write = directory + pipe, f"usleep 20000; taskset 1 sh -c 'echo x > {directory}trace_marker'"
    at_once = f"echo 0 > {directory}buffer_percent"
    output = shell(fresh, f"mkdir instances/foo; {at_once}; {{ {write}; {write}; }} & taskset 1 pollfile {path}; wait")
    fresh.tracefs.rmdir("instances/foo")
    assert output.splitlines()[-8:] == [
        "lseek: Illegal seek",
        "read: Resource temporarily unavailable",
        "poll at once: 0",
        "select at once: 0",
        "poll: 1 1",
        "read: done",
        "select: 1",
        "read: done",
    ]


def test_a_poll_is_woken_when_half_of_a_cpus_buffer_is_written(fresh: Machine) -> None:
    fresh.tracefs.write("buffer_size_kb", "38")
    write = f"echo {'x' * 900} > trace_marker"  # four fill a page
    writes = f"for i in 1 2 3 4 5 6 7 8 9 10; do {write}; done; usleep 5000"
    writer = f"usleep 5000; {writes}; echo a quarter; {writes}; {writes}; echo most"
    output = shell(fresh, f"taskset 1 sh -c '{writer}' & taskset 2 pollfile per_cpu/cpu0/trace_pipe_raw; wait")
    assert output.splitlines()[-6:] == ["a quarter", "poll: 1 1", "read: done", "select: 1", "read: done", "most"]


def test_reading_a_pipe_of_what_reading_causes(fresh: Machine) -> None:
    script = "echo function > current_tracer; cat trace_pipe > /p & usleep 3000; echo 0 > tracing_on; wait; sed -n '$=' /p"
    assert int(shell(fresh, script)) > 300


@pytest.mark.parametrize(
    "prepare",
    [
        "echo 2 > tracing_cpumask; echo function > current_tracer",  # nothing in it for CPU 0's reader
        "echo *_interrupt:snapshot > set_ftrace_filter; echo 0 > snapshot",  # each stops recording, for lack of a snapshot
    ],
)
def test_interrupts_that_have_nothing_for_a_reader_leave_the_cpus_time(arch: str, prepare: str) -> None:
    with booted_machine(arch, cpus=2) as machine:

        def taken() -> int:
            return sum(cpu.record.taken for cpu in machine.board.cpus)

        shell(machine, prepare)
        before = taken()
        script = f"cd {TRACING}; timeout 0.02 cat per_cpu/cpu0/trace_pipe & busy 2 1 > /dev/null; wait"
        machine.run(script, limit=10**8)  # nanoseconds
        assert taken() - before < 500


def test_writers_that_patch_at_the_same_time(arch: str) -> None:
    with booted_machine(arch, cpus=4) as machine:
        script = """
            writer() { n=0; while [ $n -lt 6 ]; do echo $1 > set_ftrace_filter; echo $2 > current_tracer; n=$((n + 1)); done; }
            writer 'vfs_*' function & writer 'ksys_*' function_graph & writer 'sys_*' nop & wait
            echo function > current_tracer; echo vfs_open > set_ftrace_filter; cat enabled_functions
        """
        assert shell(machine, script).split()[0] == "vfs_open"
        assert len(shell(machine, "cat enabled_functions").splitlines()) == 1
        assert machine.warnings == []


def test_what_the_guest_asks_for_is_the_same_every_time(arch: str) -> None:
    script = "echo function_graph > current_tracer; ls /bin | sed s/[aeiou]/z/g > /dev/null"
    script += "; cat trace_pipe & usleep 500; echo 0 > tracing_on"
    traces = []
    for _ in range(2):
        with Machine(arch=arch, cpus=2, seed=3) as machine:
            traces.append((shell(machine, script), machine.tracefs.read("trace")))
    assert traces[0] == traces[1]
    assert "getdents" in traces[0][0] + traces[0][1]
