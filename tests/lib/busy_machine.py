# SPDX-License-Identifier: GPL-2.0-only
"""A machine with a lot of activity, on which numbered actions are done: the same number has the same effect."""

from __future__ import annotations

import hashlib
import random

from emu.cpu.native.cpu_records import VECTORS
from emu.machine import LimitReached, Machine

__all__ = ["act", "busy_machine", "digest"]

_TRACING = "/sys/kernel/tracing"
_LOADS = (
    "busy 3 100000 > /dev/null",
    "while true; do ls /bin /etc > /tmp/names; cp /tmp/names /dev/ram0; sed s/[aeiou]/z/g /tmp/names | wc > /dev/null; done",
    f"cd {_TRACING}; while true; do cat trace available_events | wc; done > /dev/null",
    f"cd {_TRACING}; while true; do modprobe sample_timer; usleep 300; rmmod sample_timer; done",
    f"""cd {_TRACING}; while true; do
        mkdir instances/one; echo 1 > instances/one/events/sched/enable; cat instances/one/trace | wc; rmdir instances/one
    done > /dev/null""",
)
_WRITES = (
    ("current_tracer", "function"), ("current_tracer", "function_graph"), ("current_tracer", "nop"),
    ("set_ftrace_filter", "vfs_* kmem_*"), ("set_ftrace_filter", "*lock*"), ("set_ftrace_filter", ""),
    ("set_ftrace_filter", "vfs_read:stacktrace:20"), ("set_graph_function", "vfs_write"), ("snapshot", "1"),
    ("events/sched/enable", "1"), ("events/sched/enable", "0"), ("events/sched/sched_switch/filter", "prev_pid > 2"),
    ("events/sched/sched_wakeup/trigger", "stacktrace:30"), ("buffer_size_kb", "100"), ("options/stacktrace", "1"),
    ("options/stacktrace", "0"), ("trace_clock", "global"), ("tracing_cpumask", "b"),
)  # fmt: skip

_FIELDS = ("status", "cycles", "instructions", "timer", "nmi_timer", "nmi", "arrival", "pending_count", "taken")


def busy_machine(arch: str, seed: int) -> Machine:
    """A machine with four CPUs and programs that read, write, trace, and load modules, for ever."""
    machine = Machine(arch=arch, cpus=4, seed=seed, quantum=300, memory=32 << 20)
    machine.tracefs.write("buffer_size_kb", "64")
    machine.tracefs.write("current_tracer", "function")
    for load in _LOADS:
        machine.run(f"({load}) 2> /dev/null &")
    machine.advance(random.Random(seed).randrange(100_000))
    return machine


def act(machine: Machine, number: int) -> str:
    """Performs the action of that number, and returns its result. Many actions leave a change of call sites in progress."""
    chosen = random.Random(number)
    try:
        match chosen.randrange(8):
            case 0:
                cpu = machine.cpus[chosen.randrange(len(machine.cpus))]
                return " ".join(str(cpu.step()) for _ in range(chosen.randrange(20)))
            case 1:
                machine.inject_nmi(chosen.randrange(len(machine.cpus)))
            case 2 | 3:
                machine.tracefs.write(
                    "current_tracer", chosen.choice(["function", "function_graph"]), limit=chosen.choice([0, 3_000])
                )
            case 4:
                machine.tracefs.write(*chosen.choice(_WRITES), limit=chosen.choice([0, 10_000, 100_000]))
            case 5:
                return machine.run("echo $$ > /tmp/x; wc < /proc/meminfo", limit=chosen.choice([10_000, 500_000])).output.hex()
            case _:
                return str(machine.advance(chosen.choice([20, 300, 1_000, 5_000])))
    except (LimitReached, OSError) as error:
        return str(error)
    return ""


def digest(machine: Machine) -> str:
    """A digest of the machine's state: RAM, CPU registers and records, output, recorded events, and pending patches."""
    found = hashlib.sha256(machine.board.ram)
    for cpu in machine.board.cpus:
        found.update(repr([getattr(cpu.record, field) for field in _FIELDS]).encode())
        found.update(repr([cpu.record.pending[n] for n in range(VECTORS // 64)]).encode())
        found.update(repr([cpu.record.arrivals[n] for n in range(VECTORS)]).encode())
        found.update(repr(sorted(cpu.registers().items())).encode())
    patching = machine.patching
    found.update(repr((patching.steps, sorted(patching.awaited), patching.breakpoints_hit, machine.warnings)).encode())
    found.update(machine.tracefs.read("trace").encode(errors="surrogateescape"))
    return found.hexdigest()
