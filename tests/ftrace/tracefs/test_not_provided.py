# SPDX-License-Identifier: GPL-2.0-only
"""Features of Linux 6.1 that this machine lacks: using them fails, and the guest's dmesg says so."""

from __future__ import annotations

import errno

import pytest

from emu.ftrace.errors import NotProvided, TraceError
from emu.ftrace.tracefs import TraceFS
from emu.machine import Machine
from tests.lib.commands import shell
from tests.lib.linux_events import LIST, list_text


def test_the_names_of_linux_are_those_of_a_real_kernel() -> None:
    assert LIST.read_text() == list_text()


@pytest.mark.parametrize(
    ("path", "log"),
    [
        ("events/ext4", "events/ext4: Linux 6.1 has this file, this machine does not"),
        ("events/sched/sched_swap_numa", "events/sched/sched_swap_numa: Linux 6.1 has this file, this machine does not"),
        ("events/syscalls/sys_enter_bpf", "events/syscalls/sys_enter_bpf: Linux 6.1 has this file, this machine does not"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_here(tracefs: TraceFS, path: str, log: str) -> None:
    tracefs.mkdir("instances/a")
    with pytest.raises(NotProvided) as error:
        tracefs.read(path)
    assert (error.value.errno, error.value.log) == (errno.ENOENT, f"tracefs: {log}")


@pytest.mark.parametrize(
    "path",
    ["nosuch", "events/nosuch", "events/ftrace/function/trigger", "events/ftrace/filter", "instances/a/stack_trace",
     "instances/a/function_profile_enabled", "instances/a/options/sleep-time", "instances/b/trace"],
)  # fmt: skip
def test_a_file_that_linux_does_not_have_either(tracefs: TraceFS, path: str) -> None:
    tracefs.mkdir("instances/a")
    with pytest.raises(TraceError) as error:
        tracefs.read(path)
    assert error.value.errno == errno.ENOENT
    assert not isinstance(error.value, NotProvided)


@pytest.mark.parametrize(
    ("path", "text", "what"),
    [
        ("set_event", "ext4:*", "events of the system 'ext4'"),
        ("set_event", "!ext4", "events of the system 'ext4'"),
        ("set_event", "sched:sched_swap_numa", "the event 'sched:sched_swap_numa'"),
        ("set_event", "*:sched_swap_numa", "the event '*:sched_swap_numa'"),
        ("set_event", "sched_swap_numa", "the event 'sched_swap_numa'"),
    ],
)  # fmt: skip
def test_a_word_that_is_not_understood_here(tracefs: TraceFS, path: str, text: str, what: str) -> None:
    with pytest.raises(NotProvided) as error:
        tracefs.write(path, text)
    assert error.value.errno == errno.EINVAL
    assert error.value.log == f"tracefs: {path}: Linux 6.1 has {what}, this machine does not"


@pytest.mark.parametrize(
    ("path", "text"),
    [("current_tracer", "bogus"), ("trace_options", "bogus"), ("set_ftrace_filter", "vfs_read:bogus"), ("set_event", "bogus:x"),
     ("set_event", "irq:sched_swap_numa"), ("set_event", "sched:bogus"), ("set_event", "ftrace:function"),
     ("trace_options", "funcgraph-cpu"), ("instances/a/current_tracer", "function_graph")],
)  # fmt: skip
def test_a_word_that_linux_does_not_understand_either(tracefs: TraceFS, path: str, text: str) -> None:
    tracefs.mkdir("instances/a")
    with pytest.raises(TraceError) as error:
        tracefs.write(path, text)
    assert not isinstance(error.value, NotProvided)


def test_dmesg_says_it_once_and_in_order(machine: Machine) -> None:
    before = shell(machine, "dmesg")
    said = shell(machine, "for n in 1 2; do cat events/ext4 nosuch; echo ext4 > set_event; done 2>&1 | wc -l; dmesg")
    count, *lines = said.removeprefix(before).splitlines()
    assert count == "6"
    new = [line.partition("] ")[2] for line in lines][len(before.splitlines()) :]
    assert new == [
        "tracefs: events/ext4: Linux 6.1 has this file, this machine does not",
        "tracefs: set_event: Linux 6.1 has events of the system 'ext4', this machine does not",
    ]


def test_listing_says_nothing(machine: Machine) -> None:
    before = shell(machine, "dmesg")
    shell(machine, "ls -l . events events/sched options > /dev/null; find . -maxdepth 1 > /dev/null")
    assert shell(machine, "dmesg") == before
