# SPDX-License-Identifier: GPL-2.0-only
"""Words of the kernel's command line that set up tracing: each has its effect, and none of them reaches init."""

from __future__ import annotations

import re

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

GRAPH = (
    "ftrace=function_graph ftrace_graph_filter=start_kernel,do_one_initcall ftrace_graph_notrace=parse_* "
    "ftrace_graph_max_depth=2 trace_options=funcgraph-tail,nosuch trace_buf_size=100k stacktrace traceoff_on_warning "
    "ftrace_dump_on_oops=orig_cpu"
)
EVENTS = (
    "ftrace=function ftrace_filter=*_init,vfs_read ftrace_notrace=mm_init trace_event=initcall,sched:sched_process_exec "
    "kprobe_event=p:reads,vfs_read,count=$arg3;p:late,late_trace_init;r:inits,populate_rootfs trace_clock=mono "
    "tp_printk tp_printk_stop_on_boot ftrace_boot_snapshot stacktrace_filter=vfs_*,dput"
)
LATENCY = (
    'ftrace=irqsoff tracing_thresh=0x5 trace_options=nofunction-trace alloc_snapshot tp_printk=off "kprobe_event=p:a vfs_read" '
    'SAY="a b" trace_buf_size=0x8000 stacktrace_filter='
)
BAD = (
    "ftrace=functoin ftrace_filter=vfs_raed,vfs_read:traceoff trace_event=!sched,bogus trace_options=bogus trace_clock=bogus "
    "trace_buf_size=big tracing_thresh=-1 ftrace_graph_max_depth=x kprobe_event=p:x,bogus;p:y,vfs_read"
)


def log_of(machine: Machine) -> list[str]:
    lines = machine.run("dmesg").output.decode().splitlines()
    return [line[line.index("] ") + 2 :] for line in lines if "command line" not in line]


def assert_init_got_nothing(machine: Machine) -> None:
    assert machine.run("cat /proc/1/cmdline /proc/1/environ").output == b"/init\0HOME=/\0PATH=/bin\0"


def test_function_graph_from_the_first_function_on(arch: str) -> None:
    with booted_machine(arch, command_line=GRAPH) as machine:
        read = machine.tracefs.read
        calls = [line for line in read("trace").splitlines() if ") " in line and "|  " in line]
        assert calls[0].endswith("|  start_kernel() {") and calls[1].endswith("|    init_task_early();")
        assert any("} /* start_kernel */" in line or "} /* do_one_initcall */" in line for line in calls)
        assert not any("|      " in line or "parse_params" in line for line in calls)
        assert read("max_graph_depth") == "2\n" and "parse_params" in read("set_graph_notrace")
        assert 100 <= int(read("buffer_size_kb")) < 110
        sysctls = "cd /proc/sys/kernel; cat stack_tracer_enabled traceoff_on_warning ftrace_dump_on_oops"
        assert machine.run(sysctls).output == b"1\n1\n2\n"
        assert "  0)  " in read("stack_trace")
        lines = log_of(machine)
        assert "Starting tracer 'function_graph'" in lines and "Failed to set trace option: nosuch" in lines
        assert_init_got_nothing(machine)


def test_functions_events_and_probes_of_the_boot(arch: str) -> None:
    with booted_machine(arch, command_line=EVENTS) as machine:
        boot = machine.tracefs.read("snapshot")
        order = [
            "trap_init <-start_kernel", "initcall_level: level=early", "initcall_level: level=late", "late: (late_trace_init+0x0",
            "inits: (kernel_init",
        ]  # fmt: skip
        places = [boot.index(text) for text in order]
        assert places == sorted(places)
        assert " mm_init <-" not in boot and " fork_init <-start_kernel" in boot
        trace = machine.tracefs.read("trace")  # after the snapshot
        texts = ["** Boot snapshot taken **", "sched_process_exec: filename=/init", "reads: (vfs_read+0x0", "vfs_read <-"]
        assert all(text in trace for text in texts) and "initcall_level" not in trace
        assert "[mono]" in machine.tracefs.read("trace_clock")
        assert {"dput", "vfs_read"} <= set(machine.tracefs.read("stack_trace_filter").split())
        lines = log_of(machine)
        assert "initcall_level: level=late" in lines  # printed until the end of the boot
        assert not [line for line in lines if "sched_process_exec" in line]
        assert_init_got_nothing(machine)
    with Machine(arch, command_line=EVENTS) as again:
        assert (again.tracefs.read("snapshot"), again.tracefs.read("trace")) == (boot, trace)


def test_a_latency_tracer_with_a_threshold(arch: str) -> None:
    with booted_machine(arch, command_line=LATENCY) as machine:
        read = machine.tracefs.read
        assert read("current_tracer") == "irqsoff\n" and read("tracing_thresh") == "5\n"
        assert re.search(r"# latency: \d+ us", read("trace"))
        assert read("options/function-trace") == "0\n" and 32 <= int(read("buffer_size_kb")) < 40
        assert read("kprobe_events") == "p:kprobes/a vfs_read\n"  # quotes keep blanks in a word
        switch = "/proc/sys/kernel/tracepoint_printk"
        done = machine.run(f"cat {switch}; echo 1 > {switch}; cat {switch} /proc/sys/kernel/stack_tracer_enabled; echo $SAY")
        assert done.output == b"0\n0\n1\na b\n"


def test_a_tracer_that_needs_threads_begins_when_there_are_any() -> None:
    with booted_machine("sparc64", command_line="ftrace=osnoise") as machine:
        assert b"osnoise/1" in machine.run("ps").output


def test_what_cannot_be_obeyed_is_a_line_of_the_log() -> None:
    with booted_machine("x86_64", command_line=BAD) as machine:
        assert set(log_of(machine)) >= {
            "ftrace bootup tracer 'functoin' not registered.",
            "ftrace: function vfs_raed not traceable",
            "ftrace: function vfs_read:traceoff not traceable",
            "Failed to enable trace event: !sched",
            "Failed to enable trace event: bogus",
            "Failed to set trace option: bogus",
            "Trace clock bogus not defined, going back to default",
            "Malformed option 'trace_buf_size=big'",
            "Malformed option 'tracing_thresh=-1'",
            "Malformed option 'ftrace_graph_max_depth=x'",
            "trace_kprobe: Failed to add event(-2): p:x bogus",
        }
        assert any("did you mean function?" in warning for warning in machine.warnings)
        assert machine.tracefs.read("kprobe_events") == "p:kprobes/y vfs_read\n"
        assert machine.tracefs.read("current_tracer") == "nop\n"
        assert machine.tracefs.read("set_event") == "kprobes:y\n"
        assert_init_got_nothing(machine)


def test_events_are_printed_as_they_are_recorded(arch: str) -> None:
    words = "tp_printk trace_event=sched:sched_process_exec kprobe_event=p:opens,do_sys_openat2,flags=$arg2"
    with booted_machine(arch, command_line=words) as machine:
        done = machine.run(["cat", "/proc/sys/kernel/tracepoint_printk"]).output.decode().splitlines()
        printed = [re.sub(r"^\[ *\d+\.\d{6}\] ", "", line) for line in done if line.startswith("[")]
        recorded = re.findall(r": ((?:sched_process_exec|opens): .*)", machine.tracefs.read("trace"))
        assert "1" in done and printed == recorded[-len(printed) :]
        assert [line.split(":")[0] for line in printed] == ["sched_process_exec", "opens"]
        machine.tracefs.write("events/sched/sched_process_exec/filter", "pid < 0")
        assert b"sched_process_exec" not in machine.run("true").output
        assert b"] opens: " in machine.run("echo 0 > /proc/sys/kernel/tracepoint_printk").output
        assert machine.run("cat /proc/sys/kernel/tracepoint_printk").output == b"0\n"


def test_events_that_come_faster_than_they_are_printed_do_not_keep_the_machine_from_booting() -> None:
    with Machine("x86_64", cpus=1, command_line="tp_printk trace_event=*:*", boot_limit=5_000_000_000) as machine:
        assert "irq_disable: caller=" in machine.run("dmesg | head -n 40").output.decode()
