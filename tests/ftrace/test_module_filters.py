# SPDX-License-Identifier: GPL-2.0-only
"""Tracing modules: their functions exist as long as they are loaded, and filters can select them by module."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.sites.filters import FunctionFilter, Functions, ModuleFilters
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

LOAD = "insmod /lib/modules/sample_timer.ko period=2"
CORE = [
    "sample_add", "sample_count", "sample_rest", "sample_thread", "sample_thread_start", "sample_thread_stop",
    "sample_beat", "sample_timer_exit",
]  # fmt: skip
NAMES = ["vfs_read", "beat", "beat", "count", "beat"]
MODULES = ["", "", "one", "one", "two"]


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        yield made


def of_modules(text: str) -> list[str]:
    """The module functions in a list of functions, without the module's name."""
    return [line.split(" [")[0] for line in text.splitlines() if "[sample_timer]" in line]


def traced(machine: Machine) -> set[str]:
    """The functions of sample_timer in the trace."""
    return set(re.findall(r"(\w+) \[sample_timer\] <-", machine.tracefs.read("trace")))


def selected(*words: str, loaded: tuple[str, ...] = ("one", "two")) -> list[str]:
    return FunctionFilter(Functions(NAMES, MODULES, loaded=loaded)).edited(words, ModuleFilters()).selected_names()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["*:mod:one"], ["beat [one]", "count [one]"]),
        ([":mod:one"], ["beat [one]", "count [one]"]),
        (["beat:mod:*"], ["beat [one]", "beat [two]"]),
        ([":mod:"], ["beat [one]", "count [one]", "beat [two]"]),
        (["*:mod:!"], ["vfs_read", "beat"]),
        (["beat:mod:!one"], ["beat", "beat [two]"]),
        (["beat", "!beat:mod:one"], ["beat", "beat [two]"]),
        (["be*:mod:t?o", "3:mod:two"], ["beat [one]", "beat [two]"]),
        (["beat"], ["beat", "beat [one]", "beat [two]"]),
    ],
)
def test_words_about_modules(words: list[str], names: list[str]) -> None:
    assert selected(*words) == names


@pytest.mark.parametrize("word", ["nosuch:mod:one", "beat:bogus:one", "!beat:mod:none", "beat:", "vfs_read:mod:one"])
def test_words_that_are_refused(word: str) -> None:
    with pytest.raises(TraceError) as caught:
        selected(word)
    assert caught.value.errno == errno.EINVAL


def test_a_selection_outlives_other_functions() -> None:
    functions = Functions(NAMES, MODULES)
    kept = Functions(["vfs_read", "beat", "new"], ["", "two", "three"], functions.numbers[[0, 4, 4]] + [0, 0, 1])
    assert FunctionFilter(functions).edited(["beat", "vfs_read"]).on(kept).selected_names() == ["vfs_read", "beat [two]"]


def test_functions_come_and_go_with_their_module(machine: Machine) -> None:
    before = machine.tracefs.read("available_filter_functions")
    sites, groups = re.fullmatch(r"(\d+) pages:\d+ groups: (\d+)\n", machine.tracefs.read("dyn_ftrace_total_info")).groups()
    machine.run(LOAD)
    available = machine.tracefs.read("available_filter_functions")
    assert available.startswith(before)
    assert of_modules(available) == CORE  # sample_timer_init was freed, and its site with it
    info = machine.tracefs.read("dyn_ftrace_total_info")
    assert info.startswith(f"{int(sites) + len(CORE)} pages:") and info.endswith(f" groups: {int(groups) + 1}\n")
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read("available_filter_functions") == before
    assert machine.warnings == []


def test_a_tracer_in_force_traces_init(machine: Machine) -> None:
    """The names of freed functions are still known."""
    machine.tracefs.write("current_tracer", "function")
    machine.run(f"{LOAD}; usleep 6000")
    assert of_modules(machine.tracefs.read("enabled_functions")) == CORE
    machine.tracefs.write("tracing_on", "0")
    assert {"sample_timer_init", "sample_beat", "sample_count", "sample_add"} <= traced(machine)
    text = machine.tracefs.read("trace")
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read("trace") == text
    assert " sample_timer_init [sample_timer] <-do_one_initcall\n" in text
    assert " mod_timer <-sample_beat [sample_timer]\n" in text


def test_filters_select_by_module(machine: Machine) -> None:
    machine.run(LOAD)
    machine.tracefs.write("set_ftrace_filter", "*:mod:sample_timer")
    assert of_modules(machine.tracefs.read("set_ftrace_filter")) == CORE
    machine.tracefs.append("set_ftrace_filter", "!sample_[art]*:mod:sample_*")
    machine.tracefs.write("current_tracer", "function")
    machine.run("usleep 6000")
    assert traced(machine) == {"sample_beat", "sample_count"}
    assert len(re.findall(r" <-", machine.tracefs.read("trace"))) == machine.tracefs.read("trace").count("[sample_timer] <-")
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read("set_ftrace_filter") == ""


def test_a_filter_whose_module_has_gone_traces_nothing(machine: Machine) -> None:
    """Linux: clear_mod_from_hash() sets the addresses of the entries to 0. The hash is not empty, so it is still a filter."""
    machine.run(LOAD)
    machine.tracefs.mkdir("instances/foo")
    for where in ("", "instances/foo/"):
        machine.tracefs.write(f"{where}set_ftrace_filter", "sample_*")
        machine.tracefs.write(f"{where}current_tracer", "function")
    machine.run("rmmod sample_timer")
    for where in ("", "instances/foo/"):
        assert machine.tracefs.read(f"{where}set_ftrace_filter") == ""
    for load in ("true", LOAD):  # functions that come back are different ones
        machine.tracefs.write("trace", "")
        machine.run(f"{load}; usleep 6000")
        assert machine.tracefs.read("enabled_functions") == ""
        assert "<-" not in machine.tracefs.read("trace")
    machine.tracefs.append("set_ftrace_filter", "vfs_read")
    assert machine.tracefs.read("set_ftrace_filter") == "vfs_read\n"
    machine.tracefs.append("set_ftrace_filter", "!vfs_read")
    assert machine.tracefs.read("set_ftrace_filter") == ""
    assert machine.site("vfs_read").state == "nop"
    machine.tracefs.write("set_ftrace_filter", "")
    assert machine.tracefs.read("set_ftrace_filter") == "#### all functions enabled ####\n"
    assert machine.site("vfs_read").state == "call ftrace_caller"


def test_a_filter_of_a_function_that_was_freed_traces_nothing(machine: Machine) -> None:
    """Linux: clear_func_from_hashes() does the same when the init functions of a module are freed."""
    machine.tracefs.write("set_ftrace_filter", "sample_timer_init:mod:sample_timer")
    machine.tracefs.write("current_tracer", "function")
    machine.run(f"{LOAD}; usleep 6000")
    assert traced(machine) == {"sample_timer_init"}
    assert machine.tracefs.read("set_ftrace_filter") == ""
    assert machine.tracefs.read("enabled_functions") == ""


@pytest.mark.parametrize("file", ["set_ftrace_notrace", "stack_trace_filter"])
def test_other_filters_stay_empty_when_their_module_goes(machine: Machine, file: str) -> None:
    """Linux treats the hash of set_ftrace_notrace like that of set_ftrace_filter; stack_trace_filter shows existing functions."""
    machine.run(LOAD)
    machine.tracefs.write(file, "sample_*")
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read(file) == ""
    machine.tracefs.write("current_tracer", "function")
    machine.run(f"{LOAD}; usleep 6000")
    assert machine.tracefs.read(file) == ""
    assert {"sample_beat", "sample_count"} <= traced(machine)  # another function of this name is traced
    assert machine.site("vfs_read").state == "call ftrace_caller"
    machine.tracefs.write(file, "")
    assert machine.tracefs.read(file).startswith("#### ")


def test_graph_filters_stay_empty_when_their_module_goes(machine: Machine) -> None:
    """Linux clears no entry of ftrace_graph_hash and ftrace_graph_notrace_hash: as no function has such an address, the first
    selects nothing and the second hides nothing. There, the files show the dead addresses; here, no line."""
    machine.run(LOAD)
    for file in ("set_graph_function", "set_graph_notrace"):
        machine.tracefs.write(file, "sample_add sample_count")
    machine.run("rmmod sample_timer")
    for file in ("set_graph_function", "set_graph_notrace"):
        assert machine.tracefs.read(file) == ""
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("true")
    assert "()" not in machine.tracefs.read("trace")
    machine.tracefs.append("set_graph_function", "vfs_open")
    machine.run("cat /dev/null")
    assert "vfs_open()" in machine.tracefs.read("trace")
    machine.tracefs.write("set_graph_function", "")
    assert machine.tracefs.read("set_graph_function") == "#### all functions enabled ####\n"


def test_filters_wait_for_a_module(machine: Machine) -> None:
    machine.tracefs.write("set_ftrace_filter", "*_count:mod:sample_timer")
    machine.tracefs.append("set_ftrace_filter", ":mod:other")
    machine.tracefs.append("set_ftrace_filter", "vfs_open")
    machine.tracefs.write("set_ftrace_notrace", "sample_add:mod:sample_timer")
    assert machine.tracefs.read("set_ftrace_filter") == "vfs_open\n*_count:mod:sample_timer\n:mod:other\n"
    machine.tracefs.append("set_ftrace_filter", "!*:mod:other")
    with pytest.raises(TraceError):
        machine.tracefs.append("set_ftrace_filter", "!nothing:mod:sample_timer")
    machine.tracefs.write("current_tracer", "function")
    machine.run(f"{LOAD}; usleep 6000")
    assert traced(machine) == {"sample_count"}
    assert machine.tracefs.read("set_ftrace_filter") == "vfs_open\nsample_count [sample_timer]\n"
    assert machine.tracefs.read("set_ftrace_notrace") == "sample_add [sample_timer]\n"
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read("set_ftrace_filter") == "vfs_open\n"


def test_nothing_else_is_traced_while_a_filter_waits(machine: Machine) -> None:
    machine.tracefs.write("current_tracer", "function")
    machine.tracefs.write("set_ftrace_filter", "*_count:mod:sample_timer")
    assert machine.tracefs.read("set_ftrace_filter") == "*_count:mod:sample_timer\n"
    assert machine.tracefs.read("enabled_functions") == ""
    machine.run(f"{LOAD}; usleep 6000")
    assert [line.split()[0] for line in machine.tracefs.read("enabled_functions").splitlines()] == ["sample_count"]
    machine.tracefs.write("set_ftrace_filter", ":mod:other")
    assert machine.site("vfs_read").state == "nop"
    machine.tracefs.append("set_ftrace_filter", "!*:mod:other")
    assert machine.site("vfs_read").state == "call ftrace_caller"


def test_function_graph_in_a_module(machine: Machine) -> None:
    machine.run(LOAD)
    machine.tracefs.write("set_graph_function", "sample_count")
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("usleep 6000")
    machine.tracefs.write("tracing_on", "0")
    machine.run("rmmod sample_timer")
    text = machine.tracefs.read("trace")
    assert re.search(r"\|  sample_count \[sample_timer\]\(\) \{\n(.*\n){1,9}.*\|    sample_add \[sample_timer\]\(\);\n", text)
    assert machine.warnings == []


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_coming_and_going_while_tracers_are_switched(arch: str, tracer: str) -> None:
    """Sites of a module are patched with all others, whatever state the module is in."""
    with Machine(arch=arch, cpus=4, quantum=300) as machine:
        loop = "modprobe sample_timer period=2; usleep 700; rmmod sample_timer; "
        machine.kernel.console.restart_input()
        machine.run("(" + loop * 4 + ") &")
        for _ in range(8):
            machine.tracefs.write("current_tracer", tracer)
            machine.advance(60_000)
            machine.tracefs.write("current_tracer", "nop")
            machine.advance(40_000)
        for _ in range(20):
            machine.advance(5_000_000)
        assert machine.warnings == []
        assert not list(machine.kernel.modules)
        assert machine.run("echo fine").output.endswith(b"fine\n")


def test_unloading_while_a_traced_function_of_it_sleeps(machine: Machine) -> None:
    """Its thread sleeps below functions whose return addresses function_graph has replaced."""
    machine.tracefs.write("current_tracer", "function_graph")
    assert machine.run("modprobe sample_timer period=5; usleep 12000; rmmod sample_timer").status == 0
    assert machine.warnings == []
    text = machine.tracefs.read("trace")
    assert "sample_thread [sample_timer]() {" in text
    assert not list(machine.kernel.modules)
    machine.tracefs.write("current_tracer", "nop")
    assert machine.run("echo fine").output == b"fine\n"
