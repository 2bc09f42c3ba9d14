# SPDX-License-Identifier: GPL-2.0-only
"""Errors that suggest the intended name."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Iterator

import pytest

from emu.ftrace import errors
from emu.ftrace.errors import TraceError, did_you_mean
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with booted_machine("x86_64") as made:
        yield made


def test_examples_in_the_documentation() -> None:
    assert doctest.testmod(errors).failed == 0


@pytest.mark.parametrize(("word", "meant"), [
    ("vfs_raed", "vfs_read"),  # transposed
    ("shedule", "schedule"),  # a letter is missing
    ("VFS_READ", "vfs_read"),
    ("__x64_sys_read", "sys_read"),
    ("read", "sys_read"),
    ("do_sys_openat", "do_sys_openat2"),
])
def test_functions(machine: Machine, word: str, meant: str) -> None:
    suggestion = did_you_mean(word, machine.trace_array.ftrace.sites.functions.names)
    assert suggestion.startswith(f"; did you mean {meant}")


@pytest.mark.parametrize("word", ["", "x" * 1000, "tcp_sendmsg", "*", "\udcff"])
def test_nothing_is_close(machine: Machine, word: str) -> None:
    assert did_you_mean(word, machine.trace_array.ftrace.sites.functions.names) == ""


def test_as_many_as_are_equally_close() -> None:
    assert did_you_mean("ab", ["abc", "abd", "abe", "abf", "xyz"]).count(",") == 1
    assert did_you_mean("sched", ["Sched", "SCHED"]) == "; did you mean Sched or SCHED?"


@pytest.mark.parametrize(("attempt", "meant"), [
    (lambda fs: fs.write("curent_tracer", "function"), "current_tracer"),
    (lambda fs: fs.read("per_cpu/cpu0/stat"), "stats"),
    (lambda fs: fs.write("current_tracer", "functiongraph"), "function_graph"),
    (lambda fs: fs.write("trace_options", "noprint_parent"), "print-parent"),
    (lambda fs: fs.write("options/sym_addr", "1"), "sym-addr"),
    (lambda fs: fs.write("trace_clock", "monoraw"), "mono_raw"),
    (lambda fs: fs.write("set_ftrace_filter", "vfs_raed"), "vfs_read"),
    (lambda fs: fs.write("set_ftrace_filter", "vfs_raed*"), "vfs_read"),
    (lambda fs: fs.write("set_ftrace_filter", "vfs_raed:traceoff"), "vfs_read"),
    (lambda fs: fs.write("set_ftrace_filter", "vfs_read:tracof"), "traceoff"),
    (lambda fs: fs.write("set_ftrace_notrace", "vfs_raed"), "vfs_read"),
    (lambda fs: fs.write("set_graph_function", "vfs_raed"), "vfs_read"),
    (lambda fs: fs.write("set_graph_notrace", "vfs_raed"), "vfs_read"),
])
def test_everything_that_has_a_name(machine: Machine, attempt: Callable[[object], object], meant: str) -> None:
    with pytest.raises(TraceError) as failed:
        attempt(machine.tracefs)
    assert failed.value.why.endswith(f"did you mean {meant}?")


def test_the_function_of_a_module(machine: Machine) -> None:
    machine.run("modprobe sample_timer")
    own = machine.tracefs.read("available_filter_functions").splitlines()[-1].removesuffix(" [sample_timer]")
    with pytest.raises(TraceError, match=f"did you mean {own}"):
        machine.tracefs.write("set_ftrace_filter", f"{own}x:mod:sample_timer")
