# SPDX-License-Identifier: GPL-2.0-only
"""What the ftrace documents type about filters, triggers and stack traces, in the guest's shell: it has the
effect that they describe.
"""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.ftrace.text.golden import read_golden
from tests.lib.sessions import session

# What a document's session finds; those of this file change nothing else.
BEGINNING = {"tracing_on": "1", "current_tracer": "nop", "set_event": "", "error_log": "", "trace": "", "snapshot": "0"}

NOTHING_SET = read_golden("trigger-file-empty.txt")
REFUSED = "echo: write error: Invalid argument\n"
EXISTS = "echo: write error: File exists\n"
BLOCK = "dd if=/dev/zero of=/dev/ram0 bs=1k seek=$n count=1 conv=notrunc 2> /dev/null"
# Several requests at once: while the device is open, nothing is written before `sync`.
SCATTERED = f"exec 3< /dev/ram0; for n in 0 20 40; do {BLOCK}; done; sync; exec 3<&-"


@pytest.fixture
def machine(booted: Machine) -> Machine:
    for name, text in BEGINNING.items():
        booted.tracefs.write(name, text)
    return booted


def typed(machine: Machine, script: str) -> str:
    """The session's output; the shell's errors without the number of the line."""
    return re.sub(r"(?m)^sh: \d+: ", "", session(machine, script))


# Filters


def test_a_filter_of_an_event(machine: Machine) -> None:
    """5.12's text has `comm != bash`; a Linux 6.1 wants quotes."""
    output = typed(
        machine,
        """
        cd events/signal/signal_generate
        echo "((sig >= 10 && sig < 15) || sig == 9) && comm != 'bash'" > filter
        cat filter
        echo 1 > enable
        sleep 9 & kill -ALRM $!; kill -HUP $!; sleep 9 & kill -KILL $!
        wait
        echo 0 > enable
        grep -o 'sig=[0-9]* errno=0 code=[0-9]* comm=sleep' ../../../trace
        echo "((sig >= 10 && sig < 15) || dsig == 17) && comm != bash" > filter
        cat filter
        echo "((sig >= 10 && sig < 15) || sig == 17) && comm != bash" > filter
        tail -3 ../../../error_log
        echo 0 > filter
        cat filter
        """,
    )
    # The shell itself is still on its way to become `sleep` when it gets the signal.
    output = re.sub(r"(?m)^sig=(\d+) errno=0 code=0 comm=\w+\n", r"\1 ", output)
    shown, refused, log = re.split("(?s)(?<=')\n(.*Field not found\n\n)", output)
    assert shown == "((sig >= 10 && sig < 15) || sig == 9) && comm != 'bash'"
    assert refused.endswith(
        f"{REFUSED}((sig >= 10 && sig < 15) || dsig == 17) && comm != bash\n{' ' * 33}^\nparse_error: Field not found\n\n"
    )
    first, command, caret, cleared = log.removeprefix(REFUSED).splitlines()
    assert first.endswith("] event filter parse error: error: Invalid value (did you forget quotes)?")
    assert command == "  Command: ((sig >= 10 && sig < 15) || sig == 17) && comm != bash"
    assert caret.index("^") == command.index("bash") + 1
    assert cleared == "none"


def test_signals_that_a_filter_keeps(machine: Machine) -> None:
    output = typed(
        machine,
        """
        echo 'sig >= 10 && sig < 15' > events/signal/signal_generate/filter
        echo 1 > events/signal/signal_generate/enable
        sleep 9 & kill -HUP $!; sleep 9 & kill -ALRM $!; sleep 9 & kill -KILL $!
        wait
        echo 0 > events/signal/signal_generate/enable
        echo 0 > events/signal/signal_generate/filter
        grep -o 'sig=[0-9]*' trace
        """,
    )
    assert output == "sig=14\n"


def test_a_filter_of_a_system(machine: Machine) -> None:
    """Events that have no such field keep the filter that they had."""
    output = typed(
        machine,
        """
        cd events/sched
        echo 0 > filter
        cat sched_switch/filter sched_wakeup/filter
        echo common_pid == 0 > filter
        cat sched_switch/filter sched_wakeup/filter
        echo prev_pid == 0 > filter
        cat sched_switch/filter sched_wakeup/filter
        echo bogus == 0 > filter
        cat filter sched_switch/filter
        echo 0 > filter
        cat filter sched_switch/filter sched_wakeup/filter
        """,
    )
    help_text = read_golden("event-files.txt").rpartition("-- events/sched/filter\n")[2]
    assert output == (
        "none\nnone\ncommon_pid == 0\ncommon_pid == 0\nprev_pid == 0\ncommon_pid == 0\n" + REFUSED + "bogus == 0\n^\n"
        "parse_error: Couldn't find or set field in one of a subsystem's events\n\nprev_pid == 0\n" + help_text + "none\nnone\n"
    )


def test_functions_called_by_user_space_alone(machine: Machine) -> None:
    """function_graph by Tim Bird, "Filter by depth", with the names of its fields."""
    output = typed(
        machine,
        """
        echo "graph_ent.depth == 1" > events/ftrace/funcgraph_entry/filter
        echo "ret.depth == 1" > events/ftrace/funcgraph_exit/filter
        cat events/ftrace/funcgraph_entry/filter events/ftrace/funcgraph_exit/filter
        echo function_graph > current_tracer
        cat /proc/version > /dev/null
        echo 0 > tracing_on
        cat trace
        echo nop > current_tracer
        echo 0 > events/ftrace/funcgraph_entry/filter
        echo 0 > events/ftrace/funcgraph_exit/filter
        """,
    )
    filters, _, trace = output.partition("# tracer: function_graph\n")
    assert filters == "graph_ent.depth == 1\nret.depth == 1\n"
    calls = re.findall(r"(?m)^ \d\) .*\|  ( *)(\w+)\(\)", trace)
    assert {indent for indent, _ in calls} == {"  "}
    assert "ksys_read" in {function for _, function in calls}


def test_events_of_a_task(machine: Machine) -> None:
    output = typed(
        machine,
        """
        echo $$ > set_event_pid
        echo 123 244 1 >> set_event_pid
        cat set_event_pid
        echo $$ > set_event_pid
        echo 1 > events/enable
        cat /proc/version > /dev/null
        echo 0 > events/enable
        echo > set_event_pid
        echo me $$; cat trace
        """,
    )
    pids, _, rest = output.partition("me ")
    me, _, trace = rest.partition("\n")
    assert set(pids.split()) == {me, "123", "244", "1"}
    found = re.findall(r"(?m)^ *\S.*-(\d+) +\[\d+\] \S+ +[\d.]+: (\w+): (.*)$", trace)
    others = {name for pid, name, text in found if pid != me and not re.search(rf"pid={me}\b", text)}
    assert others == set()
    assert len(found) > 100


# Triggers


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
    # The first read may have ended before anything else was recorded. Exits are recorded a command later than entries.
    assert re.fullmatch(r"k+\(*(\(\))+\)*", inside), inside


def test_stacktrace(machine: Machine) -> None:
    output = typed(
        machine,
        """
        cd events/kmem/kmalloc
        echo 'stacktrace' > trigger
        echo 'stacktrace:5 if bytes_req >= 65536' > trigger
        echo '!stacktrace' > trigger
        echo > ../../../trace
        echo 'stacktrace:5 if bytes_req >= 64' > trigger
        ls /bin > /dev/null; ls /proc > /dev/null
        cat trigger
        echo '!stacktrace:5 if bytes_req >= 65536' > trigger
        echo 'stacktrace:5' > trigger
        echo '!stacktrace:5' > trigger
        cat trigger
        """,
    )
    assert output == f"{EXISTS}stacktrace:count=0 if bytes_req >= 64\n{NOTHING_SET}"
    trace = machine.tracefs.read("trace")
    stacks = re.findall(r"<stack trace>\n((?: => .*\n)+)", trace)
    assert 5 <= len(stacks) < 20  # those of the first trigger, too
    assert all(stack.startswith(" => trace_event_raw_event_kmalloc\n") for stack in stacks)


def test_snapshot_and_traceoff(machine: Machine) -> None:
    output = typed(
        machine,
        f"""
        cd events/block/block_unplug
        echo 'snapshot if nr_rq > 1' > trigger
        echo '!snapshot if nr_rq > 1' > trigger
        echo 'snapshot:1 if nr_rq > 1' > trigger
        echo 'block:*' > ../../../set_event
        {SCATTERED}
        cat trigger
        echo '!snapshot:1 if nr_rq > 1' > trigger
        echo 'traceoff:1 if nr_rq > 1' > trigger
        {SCATTERED}
        cat trigger ../../../tracing_on
        echo '!traceoff:1 if nr_rq > 1' > trigger
        cat trigger enable
        echo > ../../../set_event
        """,
    )
    assert output == f"snapshot:count=0 if nr_rq > 1\ntraceoff:count=0 if nr_rq > 1\n0\n{NOTHING_SET}1\n"
    for path in ("snapshot", "trace"):  # the event itself is the last: it has its place before its triggers act
        last = machine.tracefs.read(path).splitlines()[-1]
        assert re.search(r": block_unplug: \[\S+\] [2-9]$", last), (path, last)


def test_a_marker_has_triggers(machine: Machine) -> None:
    output = typed(
        machine,
        """
        echo 'traceoff if buf == "stop"' > events/ftrace/print/trigger
        echo go on > trace_marker; cat tracing_on
        printf stop > trace_marker; cat tracing_on
        echo '!traceoff' > events/ftrace/print/trigger
        grep -o 'tracing_mark_write: .*' trace
        """,
    )
    assert output == "1\n0\ntracing_mark_write: go on\ntracing_mark_write: stop\n"


# Stack traces


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


def test_the_stack_of_a_function(machine: Machine) -> None:
    output = typed(
        machine,
        """
        echo vfs_open > set_ftrace_filter
        echo function > current_tracer
        echo 1 > options/func_stack_trace
        cat /proc/version > /dev/null
        echo 0 > tracing_on
        cat trace
        echo 0 > options/func_stack_trace
        echo > set_ftrace_filter
        """,
    )
    calls = re.findall(r"vfs_open <-(\w+)\n.*<stack trace>\n => vfs_open\n => (\w+)\n => path_openat\n", output)
    assert calls and all(caller == shown for caller, shown in calls)
