# SPDX-License-Identifier: GPL-2.0-only
"""What events cost on the host, on each architecture.

    ./venv python benchmarks/event_cost.py [--no-build]

One event: the events of a function that a kernel thread calls in a loop, and probes of it, compared with the nop tracer, next to
the function tracer on that function in the same run. All events: a busy guest with all of them enabled, next to the same guest
without. Tracers: a busy guest with each. No event: the guest's instructions next to those of a kernel without static keys, which
is built from firmware/ (`--no-build` skips this).
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arches import ARCHES

from emu.machine import Machine

FIRMWARE = Path(__file__).parent.parent / "firmware"
CALLS = 250_000
ROUNDS = 36
BUSY_ROUNDS = 9
MEMORY = 256 << 20
BUFFER_KB = 40_000
BUSY_BUFFER_KB = 20_000
CALLING = "/sys/module/event_cost/parameters/thread_calls"
FIXED = "events/event_cost/event_cost_fixed"
FUNCTION = "event_cost_call"
BUSY = "busy 4 10"
# Only workloads whose amount of work does not depend on the order of tasks: hackbench's instruction count varies by more than
# keys cost.
WORKLOADS = ("true", "busy 2 2", "busy 4 4", "pingpong 500", "ls -l /bin | wc -l", "dd if=/dev/zero of=/tmp/x bs=4k count=500")


class Case(NamedTuple):
    """What is recorded when the function is called."""

    tracer: str = "nop"
    event: str = ""
    filter: str = "0"
    hist: str = ""  # the keys of a histogram of the first event
    probe: str = ""  # how kprobe_events defines the event `cost`; BEHIND is replaced by an offset behind the call site
    stack: int = 0  # calls in the stack trace after each event; 0 for no stack trace
    checked: bool = False  # whether the stack tracer is on
    profiled: bool = False
    recorded: bool = True

    @property
    def entries(self) -> int:
        """The number of entries recorded for a call."""
        return self.recorded + (self.stack > 0)


EVENT = "event of two fields"
BEHIND = "+BEHIND"
CASES = {
    "nop": Case(recorded=False),
    "function": Case("function"),
    "stack tracer": Case(checked=True, recorded=False),
    "function profiler": Case(profiled=True, recorded=False),
    EVENT: Case(event="event_cost_fixed"),
    "event with a string": Case(event="event_cost_string"),
    "rejected by a filter": Case(event="event_cost_fixed", filter="value < 0", recorded=False),
    "one comparison": Case(event="event_cost_fixed", filter="value >= 0"),
    "four comparisons": Case(event="event_cost_fixed", filter="value >= 0 && ip != 0 && common_pid != 0 && value != -1"),
    "stack trace of five calls": Case(event="event_cost_fixed", stack=5),
    "histogram, recorded, too": Case(event="event_cost_fixed", hist="ip"),
    "histogram alone": Case(hist="ip", recorded=False),
    "kprobe at a site": Case(event="cost", probe=f"p:cost {FUNCTION}"),
    "kprobe elsewhere": Case(event="cost", probe=f"p:cost {FUNCTION}{BEHIND}"),
    "kretprobe": Case(event="cost", probe=f"r:cost {FUNCTION}"),
}
# For a busy guest.
BUSY_CASES = {
    "nop": Case(),
    "function": Case("function"),
    "irqsoff": Case("irqsoff"),
    "stack tracer": Case(checked=True),
    "function profiler": Case(profiled=True),
}


def record_with(machine: Machine, case: Case) -> None:
    """Makes the machine record this case of the function from now on, into an empty buffer."""
    machine.tracefs.write("set_event", "")
    machine.tracefs.write(f"{FIXED}/trigger", "!hist:keys=ip")
    machine.tracefs.write("kprobe_events", case.probe.replace(BEHIND, f"+{second_instruction(machine)}"))
    if case.hist:
        machine.tracefs.write(f"{FIXED}/trigger", f"hist:keys={case.hist}")
    machine.tracefs.write("set_event", case.event)
    machine.tracefs.write(f"{FIXED}/filter", case.filter)
    machine.tracefs.write("options/stacktrace", str(int(case.stack > 0)))
    record_as(machine, case)


def record_as(machine: Machine, case: Case) -> None:
    """Sets the tracer, the profiler and the stack tracer of a case, and empties the buffer."""
    machine.tracefs.write("current_tracer", case.tracer)
    machine.tracefs.write("function_profile_enabled", str(int(case.profiled)))
    machine.tracefs.write("trace", "")
    assert machine.run(f"echo {int(case.checked)} > /proc/sys/kernel/stack_tracer_enabled").status == 0


def second_instruction(machine: Machine) -> int:
    """The offset of the instruction behind the function's call site."""
    site = machine.site(FUNCTION)
    (function,) = [one for module in machine.kernel.modules for one in module.functions if one.name == FUNCTION]
    return site.address + len(site.code) - function.address


def call(machine: Machine, calls: int) -> None:
    """Makes the kernel thread call the function."""
    assert machine.run(f"echo {calls} > {CALLING}").status == 0


def nanoseconds(arch: str) -> dict[str, float]:
    """By case, the processor time of each call beyond that with the nop tracer, the best of several rounds."""
    best = dict.fromkeys(CASES, float("inf"))
    with Machine(arch=arch, cpus=1, timing="static", memory=MEMORY) as machine:
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        assert machine.run("insmod /lib/modules/event_cost.ko").status == 0
        machine.tracefs.write("set_ftrace_filter", FUNCTION)
        machine.tracefs.write("stack_trace_filter", FUNCTION)
        for case in CASES.values():
            record_with(machine, case)
            call(machine, 1)
            assert machine.tracefs.read("trace").count("\n => ") == case.stack
        for _ in range(ROUNDS):
            for name, case in CASES.items():
                record_with(machine, case)
                start = time.process_time()
                call(machine, CALLS)
                best[name] = min(best[name], time.process_time() - start)
                found = machine.trace_array.summary().events
                assert found == case.entries * CALLS, f"{name}: {found} entries"
    return {name: (best[name] - best["nop"]) / CALLS * 1e9 for name in CASES if name != "nop"}


def all_on(arch: str) -> tuple[float, int]:
    """Processor time of a busy guest with all events on over that with none, the best of several rounds; events in a round."""
    best, events = {"0": float("inf"), "1": float("inf")}, 0
    with Machine(arch=arch, cpus=4, timing="static", memory=MEMORY) as machine:
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        for _ in range(BUSY_ROUNDS):
            for on in best:
                machine.tracefs.write("events/enable", on)
                machine.tracefs.write("trace", "")
                start = time.process_time()
                assert machine.run(BUSY).status == 0
                best[on] = min(best[on], time.process_time() - start)
                events = max(events, machine.trace_array.summary().events)
    return best["1"] / best["0"], events


def traced(arch: str) -> Mapping[str, float]:
    """Processor time of a busy guest with each of BUSY_CASES, the best of several rounds, by case."""
    best = dict.fromkeys(BUSY_CASES, float("inf"))
    with Machine(arch=arch, cpus=4, timing="static", memory=MEMORY) as machine:
        machine.tracefs.write("buffer_size_kb", str(BUSY_BUFFER_KB))
        for _ in range(BUSY_ROUNDS):
            for name in best:
                record_as(machine, BUSY_CASES[name])
                start = time.process_time()
                assert machine.run(BUSY).status == 0
                best[name] = min(best[name], time.process_time() - start)
    return best


def instructions_without_keys(arch: str) -> Mapping[str, float]:
    """Guest instructions of the boot and of workloads, over those of a kernel without static keys."""
    name = f"build/{arch}-no-static-keys/vmlinux"
    build = ["make", "-s", "-C", str(FIRMWARE), f"ARCH={arch}", "STATIC_KEYS=n", "-j2", name]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    counts: list[list[int]] = []
    for image in (None, FIRMWARE / name):
        counts.append([])
        with Machine(arch=arch, cpus=1, timing="static", image=image) as machine:
            counts[-1].append(sum(cpu.instructions for cpu in machine.board.cpus))
            for workload in WORKLOADS:
                before = sum(cpu.instructions for cpu in machine.board.cpus)
                assert machine.run(workload).status == 0
                counts[-1].append(sum(cpu.instructions for cpu in machine.board.cpus) - before)
    return {workload: ours / bare for workload, ours, bare in zip(("boot", *WORKLOADS), *counts, strict=True)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--no-build", action="store_true", help="do not build and measure kernels without static keys")
    options = arguments.parse_args()
    costs = {arch: nanoseconds(arch) for arch in ARCHES}
    print(f"{'ns a call, over':25}" + "".join(f"{arch:>10}{'function':>10}{'event':>7}" for arch in ARCHES))
    for name in costs[ARCHES[0]]:
        columns = ((found[name], found[name] / found["function"], found[name] / found[EVENT]) for found in costs.values())
        print(f"{name:25}" + "".join(f"{cost:10.1f}{function:10.2f}{event:7.2f}" for cost, function, event in columns))
    for arch in ARCHES:
        ratio, events = all_on(arch)
        print(f"{arch}: '{BUSY}' with all events on takes {ratio:.2f} times as long, and records {events}")
    for arch in ARCHES:
        times = traced(arch)
        print(f"{arch}: '{BUSY}' takes as long as with nop, and as with function:", end="")
        print("".join(f"  {one / times['nop']:.2f} {one / times['function']:.2f} ({name})" for name, one in times.items()))
    if not options.no_build:
        for arch in ARCHES:
            ratios = instructions_without_keys(arch)
            print(f"{arch}: instructions with all keys off over a kernel without:", end="")
            print("".join(f"  {ratio:.4f} ({workload})" for workload, ratio in ratios.items()))


if __name__ == "__main__":
    main()
