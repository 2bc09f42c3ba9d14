# SPDX-License-Identifier: GPL-2.0-only
"""The commands in the ftrace documents about triggers and stack traces, typed into the guest's shell: they have the
documented effects.
"""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.ftrace.text.golden import read_golden
from tests.lib.sessions import session

# The initial state for a document's session; the sessions of this file change nothing else.
BEGINNING = {"tracing_on": "1", "current_tracer": "nop", "set_event": "", "error_log": "", "trace": "", "snapshot": "0"}

NOTHING_SET = read_golden("trigger-file-empty.txt")
REFUSED = "echo: write error: Invalid argument\n"
EXISTS = "echo: write error: File exists\n"


@pytest.fixture
def machine(booted: Machine) -> Machine:
    for name, text in BEGINNING.items():
        booted.tracefs.write(name, text)
    return booted


def typed(machine: Machine, script: str) -> str:
    """The session's output; the shell's errors without the number of the line."""
    return re.sub(r"(?m)^sh: \d+: ", "", session(machine, script))


def test_enable_event_and_disable_event(machine: Machine) -> None:
    """kmalloc is recorded during the first read. The document has a misprint, "enable_event:kmalloc:1", which is refused."""
    output = typed(
        machine,
        """
        cd events/syscalls
        echo 'enable_event:kmalloc:1' > sys_enter_read/trigger
        echo 'enable_event:kmem:kmalloc:1' > sys_enter_read/trigger
        echo 'disable_event:kmem:kmalloc' > sys_exit_read/trigger
        echo 'enable_event:kmem:kmalloc if fd == 1' > sys_enter_read/trigger
        cat sys_enter_read/enable ../kmem/kmalloc/enable
        echo 1 > sys_enter_read/enable
        echo 1 > sys_exit_read/enable
        cat /proc/mounts /proc/version > /dev/null
        cat sys_enter_read/trigger sys_exit_read/trigger
        echo '!enable_event:kmem:kmalloc:1' > sys_enter_read/trigger
        echo '!disable_event:kmem:kmalloc' > sys_exit_read/trigger
        echo 0 > sys_enter_read/enable
        echo 0 > sys_exit_read/enable
        cat sys_enter_read/trigger sys_enter_read/enable ../kmem/kmalloc/enable
        cat ../../trace
        """,
    )
    refused, _, rest = output.partition("0*\n")
    assert refused == REFUSED + EXISTS
    soft, count, unlimited, *rest_lines = rest.splitlines()
    assert soft in ("0*", "1*")
    assert (count, unlimited) == ("enable_event:kmem:kmalloc:count=0", "disable_event:kmem:kmalloc:unlimited")
    assert "\n".join(rest_lines[:4]) == NOTHING_SET + "0\n0"
    names = re.findall(r": (sys_read\(|sys_read ->|kmalloc:)", rest)
    inside = "".join({"sys_read(": "(", "sys_read ->": ")", "kmalloc:": "k"}[name] for name in names)
    # The first read may have ended before anything else was recorded. Exits are recorded one command later than entries.
    assert re.fullmatch(r"k+\(*(\(\))+\)*", inside), inside


def test_stacks_of_all_events(machine: Machine) -> None:
    output = typed(
        machine,
        """
        echo stacktrace > trace_options
        echo userstacktrace > trace_options
        echo sched:sched_switch > set_event
        usleep 1
        echo > set_event
        echo nostacktrace > trace_options
        echo nouserstacktrace > trace_options
        cat trace
        """,
    )
    switches = re.findall(r"sched_switch: .*\n.*<stack trace>\n((?: => .*\n)+)", output)
    assert len(switches) == output.count(": sched_switch: ") > 2
    assert all(stack.startswith(" => trace_event_raw_event_sched_switch\n => __schedule\n") for stack in switches)
    assert re.search(r" usleep-\d+ .*<user stack trace>\n( =>  <[0-9a-f]{16}>\n)+", output)
