# SPDX-License-Identifier: GPL-2.0-only
"""instances/: several traces at once, each with its own buffers, tracer, filters and switches."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.commands import TRACING, shell
from tests.lib.golden import read_golden


@pytest.fixture
def foo(machine: Machine) -> Iterator[Machine]:
    """The machine with an instance foo."""
    machine.tracefs.mkdir("instances/foo")
    yield machine
    for path, text in (
        ("tracing_on", "1"),
        ("current_tracer", "nop"),
        ("set_ftrace_filter", ""),
        ("set_graph_function", ""),
        ("trace", ""),
    ):
        machine.tracefs.write(path, text)
    for name in machine.tracefs.listdir("instances"):
        machine.tracefs.rmdir(f"instances/{name}")
    assert machine.tracefs.read("enabled_functions") == ""
    assert machine.warnings == []


def functions(machine: Machine, path: str) -> set[str]:
    """The functions in a trace, without markers."""
    return set(re.findall(r": (\w+) <-", machine.tracefs.read(path)))


def test_a_new_instance_is_as_linux_makes_it(foo: Machine) -> None:
    golden = read_golden("instance.txt").splitlines()
    listed, lines = [line[2:] for line in golden if line.startswith("./")], [line for line in golden if line[:1] not in ". "]
    tracers, tracer, *options = lines[: lines.index("1410")]
    assert sorted(foo.tracefs.listdir("instances/foo")) == sorted(listed)
    assert shell(foo, "cd instances/foo; cat available_tracers current_tracer buffer_size_kb") == f"{tracers}\n{tracer}\n1410\n"
    ours = foo.tracefs.read("instances/foo/trace_options").split()
    assert [option for option in ours if option != "nobranch"] == options  # Linux was built without the branch tracer
    for option in ("trace_printk", "printk-msg-only", "record-cmd"):  # only in the top array
        assert option not in shell(foo, "ls instances/foo/options")
        assert option in foo.tracefs.read("instances/foo/trace_options")
    assert shell(foo, "echo function_graph > instances/foo/current_tracer").endswith("Invalid argument\n")
    assert shell(foo, "ls -ld instances/foo").split()[0] == "drwxr-x---"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("mkdir instances/foo", "File exists"),
        ("mkdir instances/foo/bar", "Operation not permitted"),
        ("rmdir instances/foo/options", "Operation not permitted"),
        ("rmdir instances/none", "No such file or directory"),
        ("rmdir instances", "Operation not permitted"),
        ("touch instances/file", "Permission denied"),
    ],
)
def test_what_is_not_for_users_to_do(foo: Machine, command: str, error: str) -> None:
    assert error in shell(foo, command)


def test_each_traces_its_own_functions(foo: Machine) -> None:
    shell(
        foo,
        """
        mkdir instances/bar
        echo vfs_open > set_ftrace_filter; echo function > current_tracer
        echo vfs_read > instances/foo/set_ftrace_filter; echo function > instances/foo/current_tracer
        echo 'vfs_*' > instances/bar/set_ftrace_filter; echo vfs_write > instances/bar/set_ftrace_notrace
        echo function > instances/bar/current_tracer
        cat enabled_functions > /enabled
        """,
    )
    enabled = foo.run("cat /enabled").output.decode()
    assert re.search(r"^vfs_open \(2\)", enabled, re.MULTILINE)
    assert re.search(r"^vfs_read \(2\)", enabled, re.MULTILINE)
    assert re.search(r"^vfs_(?!open|read|write)\w+ \(1\)", enabled, re.MULTILINE)
    assert functions(foo, "trace") == {"vfs_open"}
    assert functions(foo, "instances/foo/trace") == {"vfs_read"}
    assert {"vfs_open", "vfs_read"} < functions(foo, "instances/bar/trace")
    assert "vfs_write" not in functions(foo, "instances/bar/trace")
    # When an instance stops tracing, the others keep their own settings.
    shell(foo, "echo nop > instances/bar/current_tracer; rmdir instances/foo; echo > trace; cat /init > /dev/null")
    assert functions(foo, "trace") == {"vfs_open"}
    assert [line.split()[:2] for line in foo.tracefs.read("enabled_functions").splitlines()] == [["vfs_open", "(1)"]]


def test_beside_function_graph(foo: Machine) -> None:
    setup = "echo sys_read > set_graph_function; echo vfs_read > instances/foo/set_ftrace_filter"
    tracers = "echo function_graph > current_tracer; echo function > instances/foo/current_tracer"
    shell(foo, f"{setup}; {tracers}; cat /init > /dev/null; echo 0 > tracing_on")
    graph, calls = foo.tracefs.read("trace"), foo.tracefs.read("instances/foo/trace")
    assert functions(foo, "instances/foo/trace") == {"vfs_read"}
    assert set(re.findall(r"vfs_read <-(\w+)", calls)) == {"ksys_read"}
    assert "vfs_read() {" in graph
    assert "vfs_open" not in graph


def test_each_has_its_own_switches(foo: Machine) -> None:
    shell(
        foo,
        """
        cd instances/foo; echo 0 > ../../tracing_on; echo 1 > options/sym-addr; echo counter > trace_clock
        echo 100 > buffer_size_kb; echo 1 > tracing_cpumask
        taskset 1 sh -c 'echo mine > trace_marker; echo yours > ../../trace_marker'; taskset 2 sh -c 'echo no > trace_marker'
        """,
    )
    lines = [line.split() for line in foo.tracefs.read("instances/foo/trace").splitlines() if not line.startswith("#")]
    assert [line[-1] for line in lines] == ["mine"]
    assert lines[0][3] == "1:"  # the clock that counts events
    for path, own, top in (
        ("tracing_on", "1", "0"), ("trace_clock", "[counter]", "[local]"), ("buffer_size_kb", "103", None),
        ("tracing_cpumask", "1", "3"), ("options/sym-addr", "1", "0"),
    ):  # fmt: skip
        assert own in foo.tracefs.read(f"instances/foo/{path}")
        if top is not None:
            assert top in foo.tracefs.read(path)
    assert "mine" not in foo.tracefs.read("trace")


def test_an_instance_begins_with_the_options_of_the_top(foo: Machine) -> None:
    options = [("options/sym-addr", "1"), ("options/function-fork", "1")]
    for path, value in options:
        foo.tracefs.write(path, value)
    foo.tracefs.mkdir("instances/bar")
    assert [foo.tracefs.read(f"instances/bar/{path}") for path, _ in options] == ["1\n", "0\n"]
    assert foo.tracefs.read("instances/foo/options/sym-addr") == "0\n"
    for path, _ in options:
        foo.tracefs.write(path, "0")


def test_each_has_its_own_tasks(foo: Machine) -> None:
    setup = "echo sys_getpid > set_ftrace_filter; cp set_ftrace_filter /f; cat /f > instances/foo/set_ftrace_filter"
    script = "echo $$ > instances/foo/set_ftrace_pid; echo function > instances/foo/current_tracer; exec getpid"
    shell(foo, f"{setup}; echo function > current_tracer; sh -c '{script}' > /dev/null; getpid > /dev/null")

    def callers(path: str) -> list[str]:
        return re.findall(r"getpid-(\d+) .*sys_getpid", foo.tracefs.read(path))

    assert len(set(callers("trace"))) == 2
    assert len(set(callers("instances/foo/trace"))) == 1


def test_an_instance_that_is_in_use_stays(foo: Machine) -> None:
    assert shell(foo, "exec 3> instances/foo/trace_marker; rmdir instances/foo; echo $?").endswith("Device or resource busy\n1\n")
    assert shell(foo, "exec 3< instances/foo/options/sym-addr; rmdir instances/foo; echo $?").endswith(
        "Device or resource busy\n1\n"
    )
    # An active tracer does not pin it, and neither does a working directory.
    shell(foo, "echo function > instances/foo/current_tracer; cd instances/foo; rmdir ../foo; ls")
    assert foo.tracefs.listdir("instances") == []
    assert foo.tracefs.read("enabled_functions") == ""


def test_a_pipe_waits_for_the_events_of_its_own_instance(foo: Machine) -> None:
    script = """
        cat instances/foo/trace_pipe > /p & usleep 20000; echo theirs > trace_marker; usleep 20000; cat /p
        echo mine > instances/foo/trace_marker; usleep 20000; cat /p; rmdir instances/foo; kill $!; wait
    """
    output = shell(foo, script)
    assert re.findall(r"tracing_mark_write: (\w+)", output) == ["mine"]
    assert "Device or resource busy" in output


def test_instances_come_and_go_under_load(foo: Machine) -> None:
    script = """
        echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; busy 2 1 > /dev/null &
        for n in 1 2 3; do
            mkdir instances/i$n; echo 400 > instances/i$n/buffer_size_kb
            echo function > instances/i$n/current_tracer; ls / > /dev/null
            grep -c 'ls-.*: ' instances/i$n/trace; rmdir instances/i$n
        done
        wait; echo 0 > tracing_on
    """
    counts = [int(line) for line in shell(foo, script).splitlines()]
    assert len(counts) == 3
    assert min(counts) > 100
    assert all(name.startswith("vfs_") for name in functions(foo, "trace"))


def test_modules_are_traced_in_instances(foo: Machine) -> None:
    setup = "echo ':mod:sample_timer' > instances/foo/set_ftrace_filter; echo function > instances/foo/current_tracer"
    shell(foo, f"{setup}; modprobe sample_timer; usleep 100000; rmmod sample_timer")
    assert "[sample_timer]" in foo.tracefs.read("instances/foo/trace")
    assert foo.tracefs.read("enabled_functions") == ""


def test_a_name_is_bytes(foo: Machine) -> None:
    foo.tracefs.mkdir("instances/\udcff")
    assert foo.run(f"ls {TRACING}/instances; rmdir {TRACING}/instances/$(printf '\\377')").output == b"foo\n\xff\n"


def test_from_python(foo: Machine) -> None:
    with pytest.raises(TraceError) as error:
        foo.tracefs.mkdir("instances/foo")
    assert error.value.errno == errno.EEXIST
    foo.tracefs.write("instances/foo/trace_marker", "from outside")
    assert "from outside" in foo.tracefs.read("instances/foo/trace")
