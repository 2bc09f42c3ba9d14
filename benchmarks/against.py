# SPDX-License-Identifier: GPL-2.0-only
"""Compares this checkout with another, for example of the previous commit: what each kind of work costs in processor time.

    ./venv python benchmarks/against.py DIR [--rounds N] [NAME]...

DIR is the other checkout, with a `.venv`. For each case, a process of each checkout runs a machine. They take turns at a workload
of some hundredths of a second, so that some rounds find the host otherwise idle; the smallest value counts. A ratio below 1 means
that this checkout is faster. NAME selects the cases whose names contain it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arches import ARCHES
from checkouts import Checkout
from event_cost import CALLING, FIXED, FUNCTION
from event_cost import CASES as EVENT_CASES

from emu.cpu.arch import load

HERE = Path(__file__).resolve().parent.parent
ROUNDS = 60
PROCESSES_OF_A_CASE = 3  # one after another, because the placement of memory differs as well
MEMORY = 256 << 20
BUFFER_KB = 40_000
MODULE = "insmod /lib/modules/event_cost.ko"
CALL = f"echo 60000 > {CALLING}"
BUSY = "busy 1 6"
SCENARIOS = Path(__file__).parent / "scenarios"


class Case(NamedTuple):
    """A workload, and the machine that runs it."""

    command: str = BUSY
    files: Mapping[str, str] = {}  # written to tracefs before
    options: Mapping[str, Any] = {}  # arguments of the machine
    before: tuple[str, ...] = ()  # commands to run first
    cycles: int = 0  # if not 0, this much virtual time passes instead of a command


def called(files: Mapping[str, str]) -> Case:
    """Calls of a function in a module, and its events."""
    return Case(CALL, files, before=(MODULE,))


def turns(cpus: int, quantum: int) -> Case:
    return Case(options={"cpus": cpus, "quantum": quantum}, before=("spin 1000000 & " * cpus,), cycles=8_000_000 // cpus)


DD = "dd if=/dev/zero of=/dev/null bs=1 count=8000 2>/dev/null"
HACKBENCH = "hackbench -p -g 1 -f 5 -l 10"
CASES = {
    "busy": Case(),
    "dd": Case(DD),
    "function": Case(files={"current_tracer": "function"}),
    "function_graph": Case(files={"current_tracer": "function_graph"}),
    "irqsoff": Case(files={"current_tracer": "irqsoff"}),
    "function profiler": Case(files={"function_profile_enabled": "1"}),
    "stack tracer": Case(before=("echo 1 > /proc/sys/kernel/stack_tracer_enabled",)),
    "all events": Case("busy 4 2", {"events/enable": "1"}, {"cpus": 4}),
    "calls": called({}),
    "event": called({f"{FIXED}/enable": "1"}),
    "event with a string": called({"events/event_cost/event_cost_string/enable": "1"}),
    "four comparisons": called({f"{FIXED}/filter": EVENT_CASES["four comparisons"].filter, f"{FIXED}/enable": "1"}),
    "stack trace": called({f"{FIXED}/enable": "1", "options/stacktrace": "1"}),
    "histogram": called({f"{FIXED}/trigger": "hist:keys=ip"}),
    "kprobe at a site": called({"kprobe_events": f"p:cost {FUNCTION}", "set_event": "cost"}),
    "kretprobe": called({"kprobe_events": f"r:cost {FUNCTION}", "set_event": "cost"}),
    "busy, pipeline": Case("busy 1 2", options={"timing": "pipeline"}),
    "dd, pipeline": Case(DD, options={"timing": "pipeline"}),
    "hackbench, pipeline": Case(HACKBENCH, options={"timing": "pipeline"}),
    "busy, caches": Case("busy 1 2", options={"timing": "caches"}),
    "dd, caches": Case(DD, options={"timing": "caches"}),
    "hackbench, caches": Case(HACKBENCH, options={"timing": "caches"}),
    "turns, 1 CPU, 500": turns(1, 500),
    "turns, 4 CPUs, 1000": turns(4, 1000),
    "turns, 4 CPUs, 100000": turns(4, 100_000),
}
# Commands measured as whole processes; {} is the architecture.
PROCESSES = {
    "emu run -- true": "run --arch {} -o /dev/null -- true",
    "emu run -p function_graph -- true": "run --arch {} -p function_graph -o /dev/null -- true",
    "emu race check": f"race check {SCENARIOS}/{{}}.race",
}


def machine_of(case: Case, checkout: Path, arch: str) -> Checkout:
    machine = Checkout(checkout, arch, MEMORY, BUFFER_KB, case.options)
    for command in case.before:
        machine.run(command)
    for name, text in case.files.items():
        machine.write(name, text)
    if case.cycles:
        machine.measure_cycles(5_000_000)  # so that the code is translated and the tasks are spread over the CPUs
    return machine


def seconds(case: Case, machine: Checkout) -> float:
    return (machine.measure_cycles(case.cycles) if case.cycles else machine.measure(case.command)).seconds


def process_seconds(checkout: Path, arguments: str) -> float:
    """Processor time of `emu` with these arguments."""
    command = [str(checkout / ".venv" / "bin" / "python"), "-m", "emu", *arguments.split()]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=checkout)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_utime + used.ru_stime


def by_turns(works: list[Callable[[], float]], rounds: int) -> list[float]:
    """The smallest number of seconds that each piece of work took."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for n, work in enumerate(works):
            best[n] = min(best[n], work())
    return best


def case_seconds(case: Case, checkouts: list[Path], arch: str, rounds: int) -> list[float]:
    found = []
    for _ in range(PROCESSES_OF_A_CASE):
        with ExitStack() as stack:
            machines = [stack.enter_context(closing(machine_of(case, checkout, arch))) for checkout in checkouts]
            found.append(by_turns([partial(seconds, case, machine) for machine in machines], rounds // PROCESSES_OF_A_CASE))
    return [min(times) for times in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="DIR", help="another checkout of emu")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each case; a tenth of whole processes")
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the names of cases")
    arguments = parser.parse_intermixed_args()
    checkouts = [HERE, arguments.other.resolve()]
    wanted = [name for name in (*CASES, *PROCESSES) if not arguments.names or any(part in name for part in arguments.names)]
    print(f"{'ms of processor time':36}" + "".join(f"{arch:>10}{'other':>10}{'ratio':>7}" for arch in ARCHES))
    for name in wanted:
        print(f"{name:36}", end="", flush=True)
        for arch in ARCHES:
            if "timing" in CASES.get(name, Case()).options and not load(arch).cpu_models:
                continue
            if name in CASES:
                here, there = case_seconds(CASES[name], checkouts, arch, arguments.rounds)
            else:
                text = PROCESSES[name].format(arch)
                here, there = by_turns([partial(process_seconds, one, text) for one in checkouts], arguments.rounds // 10)
            print(f"{here * 1e3:10.2f}{there * 1e3:10.2f}{here / there:7.3f}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
