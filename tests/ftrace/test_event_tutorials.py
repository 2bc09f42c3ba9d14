# SPDX-License-Identifier: GPL-2.0-only
"""What the ftrace documents type about events, triggers and stack traces, in the guest's shell: it has the effect that they
describe.
"""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.golden import read_golden
from tests.lib.sessions import session

# The initial state for a document's session; the sessions of this file change nothing else.
BEGINNING = {
    "tracing_on": "1", "current_tracer": "nop", "set_event": "", "set_graph_function": "", "error_log": "", "trace": "",
    "snapshot": "0",
}  # fmt: skip

NOTHING_SET = read_golden("trigger-file-empty.txt")
REFUSED = "echo: write error: Invalid argument\n"
EXISTS = "echo: write error: File exists\n"

# The columns before an event: task, CPU, flags and time.
CONTEXT = re.compile(r"^ *(?P<comm>\S.*)-(?P<pid>\d+) +\[00(?P<cpu>\d)\] (?P<flags>\S{5}) +\d+\.\d{6}: (?P<event>.*)$", re.M)


@pytest.fixture
def machine(booted: Machine) -> Machine:
    for name, text in BEGINNING.items():
        booted.tracefs.write(name, text)
    return booted


def events(text: str) -> list[re.Match[str]]:
    """The lines of a trace; the only other ones are its header."""
    found = list(CONTEXT.finditer(text))
    assert len(found) == len([line for line in text.splitlines() if not line.startswith("#")]) > 0
    return found


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_list_of_events_can_be_written_back(machine: Machine) -> None:
    """Each read of a program returns whole lines."""
    output = session(
        machine,
        """
        wc -l < available_events
        cat available_events > set_event; wc -l < set_event
        mkdir instances/foo; cat set_event > instances/foo/set_event; wc -l < instances/foo/set_event; rmdir instances/foo
        """,
    ).split()
    assert output == output[:1] * 3


def test_options_of_the_output(machine: Machine) -> None:
    """The same trace with each of the options."""
    session(machine, "echo 1 > events/sched/enable; usleep 1; echo 0 > tracing_on\n")
    first = events(machine.tracefs.read("trace"))[0]
    kind = machine.tracefs.read(f"events/sched/{first['event'].partition(':')[0]}/id").strip()

    def shown(*options: str) -> str:
        on = "".join(f"echo {option} > trace_options\n" for option in options)
        off = "".join(f"echo no{option} > trace_options\n".replace(" nono", " ") for option in options)
        return session(machine, f"{on}cat trace\n{off}")

    # "0 4 87666084422608 ..." and "59 5 87666084424800 type: 254"
    assert re.fullmatch(rf"{first['pid']} {first['cpu']} \d+ type: {kind}", rows(shown("raw"))[0])
    # "similar to raw, but the numbers will be in a hexadecimal format"
    assert re.fullmatch(rf"{int(first['pid']):08x} 0000000{first['cpu']} [0-9a-f]{{16}} type: {kind}", rows(shown("hex"))[0])
    # "bash  4000 1 0 00000000 00010a95 [58127d26] 1720.415ms (+0.000ms): simple_strtoul (kstrtoul)"
    assert re.match(
        rf" +\S+ +{first['pid']} +{first['cpu']} \d 0000000\d 00000000 \[[0-9a-f]{{8}}\] \d+\.\d{{3}}ms \(\+\d+\.\d{{3}}ms\): "
        rf"{re.escape(first['event'])}$",
        rows(shown("latency-format", "verbose"))[0],
    )
    text = shown("latency-format")
    counts = f"#{len(rows(text))}/{len(rows(text))}, CPU#{machine.trace_array.reader.first_cpu}"
    assert f"# latency: 0 us, {counts} | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n" in text
    assert re.match(rf" +\S+-{first['pid']} +{first['cpu']}\S{{5}} +\d+us[ +!#*@$]?: {re.escape(first['event'])}$", rows(text)[0])
    # "Show only the event data. Hides the comm, PID, timestamp, CPU, and other useful data."
    assert rows(shown("nocontext-info"))[0] == first["event"]
    # "When disabled, the trace looks like": a heading of one line, and the time next to the CPU
    text = shown("noirq-info")
    assert "=> irqs-off" not in text and "TASK-PID     CPU#     TIMESTAMP  FUNCTION\n" in text
    assert re.match(rf" +\S+-{first['pid']} +\[00{first['cpu']}\] +\d+\.\d{{6}}: {re.escape(first['event'])}$", rows(text)[0])


def test_events_among_functions(machine: Machine) -> None:
    """A switch is recorded after the scheduler has chosen the next task, and before the registers are switched."""
    output = session(
        machine,
        "echo sched_switch > set_event\necho function > current_tracer\nusleep 1\necho 0 > tracing_on\n"
        "grep -B1 -A2 next_comm=swapper/0 per_cpu/cpu0/trace | head -4\n",
    )
    chosen, switch, _, switched = (line["event"] for line in events(output))
    assert chosen.endswith("_next_task_idle <-pick_next_task_idle")
    assert switch.startswith("sched_switch: prev_comm=")
    assert switched.startswith("__switch_to <-__s")


def test_events_are_comments_of_a_graph(machine: Machine) -> None:
    session(
        machine,
        "echo sched_switch > set_event\necho schedule > set_graph_function\necho function_graph > current_tracer\n"
        "usleep 1000\necho 0 > tracing_on\n",
    )
    assert re.search(
        r"^ (\d\)) +\|  schedule\(\) \{\n \1 +\|    __schedule\(\) \{\n( \1.*\|      .*\n)+"
        r" \1 +\|      /\* sched_switch: prev_comm=sh prev_pid=\d+ prev_prio=120 prev_state=S ==> next_comm=.* \*/\n",
        machine.tracefs.read("trace"),
        re.M,
    )


def test_trace_printk_comments_on_a_graph(machine: Machine) -> None:
    output = session(
        machine,
        "echo '*:mod:sample_printk' > set_ftrace_filter\necho function_graph > current_tracer\n"
        "modprobe sample_printk 2> /dev/null; rmmod sample_printk\necho 0 > tracing_on\n"
        "cat trace\necho > set_ftrace_filter\n",
    )
    assert re.search(
        r"^ (\d\)) +\|  sample_printk_init \[sample_printk\]\(\) \{\n \1 +\|  /\* hello \*/\n \1 .*us +\|  \}$", output, re.M
    )


def test_markers_among_events(machine: Machine) -> None:
    """A marker is between the entry and the exit of the system call that writes it."""
    output = session(
        machine,
        "echo 1 > events/syscalls/sys_enter_write/enable\necho 1 > events/syscalls/sys_exit_write/enable\n"
        "echo hello > trace_marker\necho 0 > tracing_on\necho nomarkers > trace_options\necho hello > trace_marker\n"
        "echo markers > trace_options\ngrep -B1 -A1 hello trace\n",
    )
    refused, _, text = output.partition("\n")
    assert refused == "sh: 7: echo: write error: Invalid argument"
    call, marker, end = (line["event"] for line in events(text))
    assert re.fullmatch(r"sys_write\(fd: 1, buf: [0-9a-f]+, count: 6\)", call)
    assert (marker, end) == ("tracing_mark_write: hello", "sys_write -> 0x6")


def test_names_and_thread_groups(machine: Machine) -> None:
    """saved_cmdlines has a task's name by its pid; with record-tgid, saved_tgids has its thread group."""
    output = session(
        machine,
        "echo record-tgid > trace_options\necho sched_switch > set_event\nthreads > /dev/null\necho > set_event\n"
        "cat trace\necho norecord-tgid > trace_options\n",
    )
    assert "#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION\n" in output
    groups = dict(line.split() for line in machine.tracefs.read("saved_tgids").splitlines())
    comms = dict(line.split() for line in machine.tracefs.read("saved_cmdlines").splitlines())
    threads = {pid for pid, name in comms.items() if name == "threads"}
    assert len(threads) > 1
    (process,) = {groups[pid] for pid in threads}
    assert process in threads
    assert re.search(rf"^ +threads-({'|'.join(threads - {process})}) +\( +{process}\) \[00\d\] ", output, re.M)


@pytest.mark.parametrize("clock", ["local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot"])
def test_clocks_of_events(machine: Machine, clock: str) -> None:
    """The counter counts the events; the other clocks do not go back."""
    output = session(
        machine,
        f"echo {clock} > trace_clock\ncat trace_clock\necho sched_switch > set_event\nusleep 1\necho > set_event\n"
        "cat trace\necho local > trace_clock\n",
    )
    assert f"[{clock}]" in output
    times = [float(time) for time in re.findall(r"([\d.]+): sched_switch: ", output)]
    assert len(times) > 2
    assert times == (sorted(times) if clock != "counter" else [times[0] + i for i in range(len(times))])


def test_an_instance_with_events_looks_like_that_of_linux(machine: Machine) -> None:
    """The golden's commands. The files, tracers and options that this machine has are in the golden's order."""
    output = session(
        machine,
        "mkdir instances/foo; cd instances/foo; for f in *; do echo ./$f; done\n"
        "cat available_tracers current_tracer trace_options buffer_size_kb\n"
        "echo 1 > events/sched/sched_switch/enable; usleep 100000; head -40 trace; cd ../..; rmdir instances/foo\n",
    )
    ours, theirs = (text.split("# tracer: nop\n") for text in (output, read_golden("instance.txt")))
    words, golden_words = ours[0].split(), theirs[0].split()
    assert words[words.index("nostacktrace") + 1] == "nobranch"
    words.remove("nobranch")  # the golden's kernel has no branch tracer
    assert len(words) > 40
    assert words == [word for word in golden_words if word in words]
    heading, golden_heading = ([line for line in part.splitlines() if line.startswith("#")] for part in (ours[1], theirs[1]))
    assert [re.sub(r"\d+", "N", line) for line in heading] == [re.sub(r"\d+", "N", line) for line in golden_heading]
    shape = re.compile(
        r"sched_switch: prev_comm=\S.* prev_pid=\d+ prev_prio=120 prev_state=(R\+|[RSDITtXZP])"
        r" ==> next_comm=\S.* next_pid=\d+ next_prio=120"
    )
    for part in (ours[1], theirs[1]):
        lines = events("".join(f"{line}\n" for line in part.splitlines() if not line.startswith("#") and line.endswith("120")))
        assert lines and all(shape.fullmatch(line["event"]) for line in lines)
        assert {line["flags"] for line in lines} == {"d..2."}


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
    # The first read may have ended before anything else was recorded. Exits are recorded a command later than entries.
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
