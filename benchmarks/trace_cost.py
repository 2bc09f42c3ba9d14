# SPDX-License-Identifier: GPL-2.0-only
"""What a traced call costs on the host, on each architecture: `function` and `function_graph` over a nop, beside a Python
block hook that keeps the same.

    ./venv python benchmarks/trace_cost.py [--against DIR]

DIR is another checkout of emu with a `.venv`, for example of the commit before. It takes turns with this one.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack, closing
from pathlib import Path

from arches import ARCHES
from checkouts import Checkout, Emu, Measured

from emu.cpu.cpu import Cpu
from emu.machine import Machine

WORKLOAD = "busy 1 60"
ROUNDS = 15
MEMORY = 256 << 20
BUFFER_KB = 200_000
TRACERS = ("nop", "function", "function_graph")
NAMES = {"function": "function", "function_graph": "function_graph (entry and exit)"}


def best_of_each(arch: str, against: Path | None) -> list[dict[str, Measured]]:
    """The best of several runs by tracer: of this checkout, and of the other if there is one. All take turns."""
    with ExitStack() as stack:
        systems: list[dict[str, Emu | Checkout]] = [{tracer: Emu(arch, MEMORY, BUFFER_KB) for tracer in TRACERS}]
        if against:
            systems.append({tracer: Checkout(against, arch, MEMORY, BUFFER_KB) for tracer in TRACERS})
        for machines in systems:
            for tracer, machine in machines.items():
                stack.enter_context(closing(machine))
                machine.trace_with(tracer)
        best = [dict.fromkeys(TRACERS, Measured()) for _ in systems]
        for _ in range(ROUNDS):
            for tracer in TRACERS:
                for machines, results in zip(systems, best, strict=True):
                    measured = machines[tracer].measure(WORKLOAD)
                    results[tracer] = min(results[tracer], measured, key=lambda found: found.seconds)
    return best


def with_python_hook(arch: str) -> tuple[float, int]:
    """The function tracer's trampoline calls Python, which keeps time, registers (function and caller are in them, or where
    they point), task and state of the CPU."""
    with Machine(arch=arch, cpus=1, timing="static") as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("current_tracer", "function")
        kernel, log = machine.kernel, []

        def record(cpu: Cpu, address: int) -> None:
            task = kernel.tasks.current(cpu)
            count = kernel.memory.member(kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
            log.append((cpu.cycles, cpu.registers(), kernel.tasks.pid(task), count))

        machine.board.dispatch(kernel.image.symbol("ftrace_caller"), machine.board.python_handler(record))
        start = time.process_time()
        machine.run(WORKLOAD)
        return time.process_time() - start, len(log)


def over_nop(best: dict[str, Measured]) -> dict[str, float]:
    """Nanoseconds of a traced call by name."""
    calls = best["function"].entries
    return {name: (best[tracer].seconds - best["nop"].seconds) / calls * 1e9 for tracer, name in NAMES.items()}


def nanoseconds_per_call(arch: str, against: Path | None) -> tuple[dict[str, float], dict[str, float]]:
    """This checkout's, and the other's."""
    ours, *theirs = best_of_each(arch, against)
    print(f"{arch}: workload '{WORKLOAD}' takes {ours['nop'].seconds:.2f} s untraced, and makes {ours['function'].entries} calls")
    hook, calls = with_python_hook(arch)
    costs = {**over_nop(ours), "Python block hook": (hook - ours["nop"].seconds) / calls * 1e9}
    return costs, over_nop(theirs[0]) if theirs else {}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--against", type=Path, metavar="DIR", help="another checkout of emu, to be compared with")
    against = arguments.parse_args().against
    costs = {arch: nanoseconds_per_call(arch, against) for arch in ARCHES}
    first, _ = costs[ARCHES[0]]
    other = f"{'other':>10}{'ratio':>7}" if against else ""
    print(f"{'ns a call':32}" + "".join(f"{arch:>10}{other}" for arch in ARCHES) + f"   over {ARCHES[0]}")
    for name in first:
        row = ""
        for ours, theirs in costs.values():
            row += f"{ours[name]:10.0f}"
            if name in theirs:
                row += f"{theirs[name]:10.0f}{ours[name] / theirs[name]:7.2f}"
            elif theirs:
                row += " " * len(other)
        print(f"{name:32}{row}   {costs[ARCHES[-1]][0][name] / first[name]:.2f}")


if __name__ == "__main__":
    main()
