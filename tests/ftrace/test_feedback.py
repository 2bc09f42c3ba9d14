# SPDX-License-Identifier: GPL-2.0-only
"""Recording does not feed itself: whatever a traced function causes, the machine reaches the end of a command.

Each case is a loop: recording wakes the guest, requests work or prints; and that is traced in turn.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.ftrace.probes.host_probes import Hit
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import TRACING

LIMIT = 4_000_000_000  # nanoseconds of virtual time: threads of hwlat sample for half a second
HOST_LIMIT = 120.0  # for an endless loop in which virtual time does not advance

# Functions on the path of an interrupt of the host's devices, of a wakeup and of a line of the log
PATH = ("__handle_irq_event_percpu", "file_server_interrupt", "trace_work_interrupt", "try_to_wake_up", "vprintk")

WORK = "echo hwlat > current_tracer; echo osnoise > current_tracer; echo nop > current_tracer"  # each write waits for work
READERS = "cat trace_pipe > /dev/null & cat per_cpu/cpu0/trace_pipe > /dev/null & cat per_cpu/cpu1/trace_pipe_raw > /dev/null &"
SAMPLE = "modprobe ftrace-direct; mkdir instances/foo; cd instances/foo"
DIRECT = "all sites of PATH call a function that writes"  # see `have_path_write`
PROBES = "; ".join(
    [f"echo 'p:p{n} {name}' >> kprobe_events; echo 'r:r{n} {name}' >> kprobe_events" for n, name in enumerate(PATH)]
    + ["echo 1 > events/kprobes/enable"]
)
PRINTED = "echo 1 > /proc/sys/kernel/tracepoint_printk; echo 1 > events/printk/enable; echo 1 > events/irq/enable"
SYNTHETIC = (
    "echo 'a int pid' > synthetic_events; echo 'e:x synthetic.a pid=$pid' > dynamic_events;"
    " echo 'hist:keys=next_pid:n=next_pid:onchange($n).trace(a,next_pid)' > events/sched/sched_switch/trigger;"
    " echo 'hist:keys=pid:q=pid:onchange($q).trace(a,pid)' > events/synthetic/a/trigger;"
    " echo 'hist:keys=pid:q=pid:onmax($q).trace(a,pid)' > events/eprobes/x/trigger; echo 1 > events/eprobes/enable"
)


def commands(*given: str) -> str:
    """Commands for the functions of PATH, assigned in rotation."""
    return "; ".join(f"echo '{name}:{given[n % len(given)]}' >> set_ftrace_filter" for n, name in enumerate(PATH))


CIRCLES = {  # parts of a script
    "a direct function writes, of an instance's work": (SAMPLE, WORK),
    "direct functions write": (DIRECT, WORK),
    "direct functions write for readers": (DIRECT, READERS, "ls / > /dev/null", WORK),
    "kprobes for readers": (PROBES, READERS, "ls / > /dev/null", WORK),
    "commands turn tracing off and on": (PROBES, commands("traceoff", "traceon"), READERS, WORK),
    "commands take snapshots": (PROBES, commands("snapshot", "stacktrace"), READERS, WORK),
    "commands take snapshots without room": (PROBES, commands("snapshot", "traceon"), "echo 0 > snapshot", READERS, WORK),
    "commands dump": (PROBES, commands("cpudump", "dump"), "echo x > /dev/kmsg", WORK),
    "the scheduler's function dumps": ("echo schedule:cpudump > set_ftrace_filter; usleep 1000; echo > set_ftrace_filter",),
    "a module's kprobe prints": ("modprobe kprobe_example symbol=vprintk; echo x > /dev/kmsg", WORK),
    "events are printed": (PRINTED, PROBES, READERS, "usleep 2000"),
    "direct functions write while events are printed": (DIRECT, PRINTED, WORK),
    "synthetic events make themselves": (SYNTHETIC, "ls / > /dev/null"),
}


def have_path_write(machine: Machine) -> None:
    """Makes all functions of PATH call that of Linux's sample directly, which writes to the trace."""
    machine.run("modprobe ftrace-direct-multi; modprobe sample_direct")
    tramp = machine.kernel.modules.symbol("ftrace_direct_multi", "my_tramp")
    sites = [f"echo r {machine.kernel.image.symbol(name):x} {tramp:x}" for name in PATH]
    registered = [f"{site} > /sys/module/sample_direct/parameters/do" for site in sites]
    assert machine.run(" && ".join(registered)).status == 0


@pytest.mark.parametrize("circle", CIRCLES)
def test_the_machine_goes_on(circle: str) -> None:
    parts = CIRCLES[circle]
    with booted_machine("x86_64", command_line="tp_printk") as machine:
        if DIRECT in parts:
            have_path_write(machine)
        script = "; ".join([f"cd {TRACING}", *(part for part in parts if part != DIRECT), "echo the end"])
        done = machine.run(script.replace("&;", "&"), limit=LIMIT, host_limit=HOST_LIMIT)
        assert "the end\n" in done.output.decode(errors="replace")


def test_a_callback_reads_what_it_causes() -> None:
    """A callback in the interrupt that an event raises for a reader itself reads the trace."""
    with booted_machine("x86_64") as machine:
        lengths: list[int] = []

        def read(hit: Hit) -> None:
            lengths.append(len(machine.tracefs.read("trace_pipe")))

        machine.tracefs.write("events/irq/enable", "1")
        with machine.probe("file_server_interrupt", read):
            script = f"cd {TRACING}; {READERS} usleep 2000; echo the end"
            assert machine.run(script, limit=LIMIT, host_limit=HOST_LIMIT).output == b"the end\n"
        assert any(lengths)


def test_each_dump_is_of_somebody_elses_doing(machine: Machine) -> None:
    """A function of the dump's own work dumps once for each call from elsewhere, and no more."""
    machine.tracefs.write("set_ftrace_filter", "printk_line:cpudump")
    machine.tracefs.append("set_ftrace_filter", "trace_work_interrupt:cpudump")
    output = machine.run(f"echo nop > {TRACING}/tracing_enabled; usleep 3000; dmesg").output.decode()
    assert 1 <= output.count("Dumping ftrace buffer:") <= 8


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch) as booted:
        yield booted
