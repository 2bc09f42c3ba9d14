# SPDX-License-Identifier: GPL-2.0-only
"""Tracing a module that the guest itself loads, ext2 at the first mount: filters before, during and after the load."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from emu.machine import Machine, TraceError
from tests.lib.disks import make_ext2, needs_e2fsprogs
from tests.lib.graph_calls import check_calls

pytestmark = needs_e2fsprogs

MOUNT, UNMOUNT = "mount /dev/ram0 /d", "umount /d; rmmod ext2"
EMPTY = {"set_ftrace_filter": "", "set_ftrace_notrace": "", "set_graph_function": "", "current_tracer": "nop", "trace": ""}


@pytest.fixture(scope="module")
def booted(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    image = tmp_path_factory.mktemp("disk") / "image"
    make_ext2(image, 1 << 20)
    with Machine(arch=arch, cpus=4, ramdisk=image) as made:
        assert made.run("mkdir /d").status == 0
        yield made
        assert made.warnings == []


@pytest.fixture
def machine(booted: Machine) -> Machine:
    """A machine without ext2 and filters, and with an empty trace."""
    booted.run("umount /d 2> /dev/null; modprobe -r ext2")
    for file, text in EMPTY.items():
        booted.tracefs.write(file, text)
    booted.tracefs.write("tracing_on", "1")
    return booted


def succeed(machine: Machine, command: str) -> None:
    done = machine.run(command)
    assert (done.status, done.output) == (0, b"")


def traced(machine: Machine, instance: str = "") -> set[str]:
    """The functions in a trace of the function tracer; all must be ext2's."""
    calls = re.findall(r": (\w+)( \[ext2\])? <-", machine.tracefs.read(f"{instance}trace"))
    assert all(module for _, module in calls)
    return {name for name, _ in calls}


def test_a_filter_from_before_traces_all_of_it(machine: Machine) -> None:
    machine.tracefs.write("set_ftrace_filter", "*:mod:ext2")
    machine.tracefs.write("current_tracer", "function")
    succeed(machine, f"{MOUNT}; mkdir /d/x; rmdir /d/x; umount /d")
    assert machine.tracefs.read("set_ftrace_filter").count(" [ext2]\n") > 100  # it is no longer deferred
    machine.tracefs.write("tracing_on", "0")
    text = machine.tracefs.read("trace")
    assert {"init_ext2_fs", "ext2_mount", "ext2_mkdir", "ext2_put_super"} <= traced(machine)
    assert re.search(r"modprobe-\d+ .*: init_ext2_fs \[ext2\] <-do_one_initcall\n", text)
    assert re.search(r" mount-\d+ .*: ext2_mount \[ext2\] <-mount_fs\n", text)
    succeed(machine, "rmmod ext2")
    assert machine.tracefs.read("trace") == text  # names outlive the module
    assert machine.tracefs.read("set_ftrace_filter") == ""


def test_filters_during_and_after(machine: Machine) -> None:
    succeed(machine, MOUNT)
    machine.tracefs.write("set_ftrace_filter", "ext2_*:mod:ext2")
    machine.tracefs.write("set_ftrace_notrace", ":mod:ext2")
    machine.tracefs.append("set_ftrace_notrace", "!ext2_[lm]*:mod:ext2")
    machine.tracefs.write("current_tracer", "function")
    succeed(machine, "mkdir /d/x; ls /d/x; rmdir /d/x")
    assert {"ext2_lookup", "ext2_mkdir", "ext2_make_empty"} <= traced(machine)
    assert not {name for name in traced(machine) if not re.match("ext2_[lm]", name)}
    machine.tracefs.append("set_ftrace_filter", "panic")
    machine.tracefs.append("set_ftrace_filter", "!*:mod:ext2")
    machine.tracefs.write("trace", "")
    succeed(machine, f"ls /d > /dev/null; {UNMOUNT}")
    assert traced(machine) == set()
    for file, text in (("set_ftrace_filter", "panic\n"), ("set_ftrace_notrace", "")):
        assert machine.tracefs.read(file) == text
    machine.tracefs.append("set_ftrace_filter", "ext2_iget:mod:ext2")
    succeed(machine, f"{MOUNT}; {UNMOUNT}")
    assert traced(machine) == {"ext2_iget"}


def test_function_graph(machine: Machine) -> None:
    """A filter may be deferred. A graph function cannot, and is set after the module has been loaded."""
    machine.tracefs.write("set_ftrace_filter", "*:mod:ext2")
    machine.tracefs.write("current_tracer", "function_graph")
    succeed(machine, f"{MOUNT}; {UNMOUNT}")
    text = machine.tracefs.read("trace")
    assert re.search(r"\|  init_ext2_fs \[ext2\]\(\) \{\n.*init_inodecache \[ext2\]\(\);\n.*\|  \}", text)
    assert re.search(r"\|  ext2_mount \[ext2\]\(\) \{\n.*\|    ext2_fill_super \[ext2\]\(\) \{\n", text)
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_ftrace_filter", "")
    succeed(machine, "modprobe ext2")
    machine.tracefs.write("set_graph_function", "ext2_mkdir")
    machine.tracefs.write("max_graph_depth", "2")
    machine.tracefs.write("current_tracer", "function_graph")
    succeed(machine, f"{MOUNT}; mkdir /d/x; rmdir /d/x; umount /d")
    graph = machine.tracefs.read("trace")
    machine.tracefs.write("max_graph_depth", "0")
    assert re.findall(r"\|  (\w+)( \[ext2\])?\(\) \{", graph) == [("ext2_mkdir", " [ext2]")]
    assert "d_instantiate_new();" in graph  # functions of the kernel called by it
    succeed(machine, "rmmod ext2")
    assert machine.tracefs.read("set_graph_function") == ""


def test_instances_have_filters_of_their_own(machine: Machine) -> None:
    machine.tracefs.mkdir("instances/one")
    machine.tracefs.write("set_ftrace_filter", "ext2_mount:mod:ext2")
    machine.tracefs.write("instances/one/set_ftrace_filter", "ext2_get_*:mod:ext2")
    for directory in ("", "instances/one/"):
        machine.tracefs.write(f"{directory}current_tracer", "function")
    succeed(machine, MOUNT)
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("instances/one/tracing_on", "0")
    succeed(machine, UNMOUNT)
    assert traced(machine) == {"ext2_mount"}
    assert "ext2_get_inode" in traced(machine, "instances/one/")
    assert not {name for name in traced(machine, "instances/one/") if not name.startswith("ext2_get_")}
    machine.tracefs.rmdir("instances/one")


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_unloading_while_traced(machine: Machine, tracer: str) -> None:
    """All CPUs are busy in it until just before."""
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("buffer_size_kb", "20000")
    machine.tracefs.write("set_ftrace_filter", "panic *:mod:ext2")
    machine.tracefs.write("current_tracer", tracer)
    machine.tracefs.write("tracing_on", "1")
    work = "for k in 1 2 3; do mkdir /d/$n; cp /bin/true /d/$n/; ls /d > /dev/null; rm -r /d/$n; done"
    succeed(machine, f"{MOUNT}; for n in 1 2 3 4; do ({work}) & done; wait; {UNMOUNT}")
    machine.tracefs.write("tracing_on", "0")
    text = machine.tracefs.read("trace")
    assert {cpu for cpu in range(4) if re.search(rf"(\[00{cpu}\]|^ {cpu}\)).*\[ext2\]", text, re.MULTILINE)} == {0, 1, 2, 3}
    assert machine.tracefs.read("set_ftrace_filter") == "panic\n"
    assert not re.search("0x[0-9a-f]{8}", text)  # every function has a name
    if tracer == "function":
        assert "exit_ext2_fs" in traced(machine)
    else:
        count, waiting = check_calls(machine)
        assert count > 1000 and waiting == set()


@pytest.mark.parametrize(("attempt", "message"), [
    (lambda m: m.tracefs.write("set_ftrace_filter", "ext2_*"), r"\d\d of them: 'ext2_\*:mod:ext2' waits for ext2"),
    (lambda m: m.tracefs.write("set_ftrace_notrace", "ext2_mkdir"), "it: 'ext2_mkdir:mod:ext2' waits for ext2"),
    (lambda m: m.tracefs.write("set_ftrace_filter", "init_ext2_fs"), "it: 'init_ext2_fs:mod:ext2' waits for ext2"),
    (lambda m: m.tracefs.write("set_ftrace_filter", "ext2_mkdir:traceoff"), "it: this cannot wait, so run 'modprobe ext2' first"),
    (lambda m: m.tracefs.write("set_graph_function", "ext2_mkdir"), "it: this cannot wait, so run 'modprobe ext2' first"),
    (lambda m: m.site("ext2_mkdir"), "it: this cannot wait, so run 'modprobe ext2' first"),
], ids=["filter", "notrace", "init", "command", "graph", "site"])  # fmt: skip
def test_errors_name_the_module(machine: Machine, attempt: Callable[[Machine], None], message: str) -> None:
    with pytest.raises((TraceError, LookupError), match=f"; module ext2, which is not loaded, has {message}"):
        attempt(machine)


def test_what_a_module_file_has_is_what_can_be_traced(machine: Machine) -> None:
    """Except for init's functions, which are freed when it is loaded."""
    has = machine.kernel.module_files.functions["ext2"]
    succeed(machine, "modprobe ext2")
    available = re.findall(r"^(\S+) \[ext2\]$", machine.tracefs.read("available_filter_functions"), re.MULTILINE)
    assert sorted([*available, "init_ext2_fs", "init_inodecache"]) == sorted(has)


def test_other_errors(machine: Machine) -> None:
    """Several modules; a misspelt name; the name of an init function after init."""
    refused = {
        "sample_*": r"modules sample_bug, .* and sample_wakeup, which are not loaded, have \d+ of them: '.*:mod:sample_bug'",
        "ext2_mkdri": r"'ext2_mkdri'; did you mean ext2_mkdir\?",
        "!ext2_mkdir": r"'!ext2_mkdir'; did you mean",
    }
    for word, message in refused.items():
        with pytest.raises(TraceError, match=message):
            machine.tracefs.write("set_ftrace_filter", word)
    succeed(machine, "modprobe ext2")
    with pytest.raises(TraceError, match=r"'init_ext2_fs'; did you mean exit_ext2_fs\?"):
        machine.tracefs.write("set_ftrace_filter", "init_ext2_fs")
