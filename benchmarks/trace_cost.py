# SPDX-License-Identifier: GPL-2.0-only
"""What a traced call costs on the host, on each architecture: `function` and `function_graph` beyond the nop tracer, next to a
Python block hook that records the same.

    ./venv python benchmarks/trace_cost.py
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing

from arches import ARCHES
from checkouts import Emu, Measured

from emu.cpu.cpu import Cpu
from emu.machine import Machine

WORKLOAD = "busy 1 60"
ROUNDS = 15
MEMORY = 256 << 20
BUFFER_KB = 200_000
TRACERS = ("nop", "function", "function_graph")
NAMES = {"function": "function", "function_graph": "function_graph (entry and exit)"}


def best_of_each(arch: str) -> dict[str, Measured]:
    """By tracer, the best of several runs. The tracers take turns."""
    with ExitStack() as stack:
        machines = {tracer: stack.enter_context(closing(Emu(arch, MEMORY, BUFFER_KB))) for tracer in TRACERS}
        for tracer, machine in machines.items():
            machine.trace_with(tracer)
        best = dict.fromkeys(TRACERS, Measured())
        for _ in range(ROUNDS):
            for tracer, machine in machines.items():
                best[tracer] = min(best[tracer], machine.measure(WORKLOAD), key=lambda found: found.seconds)
    return best


def with_python_hook(arch: str) -> tuple[float, int]:
    """The function tracer's trampoline calls Python, which records the time, the task, the CPU's state, and the registers
    (function and caller are in them, or where they point)."""
    with Machine(arch=arch, cpus=1, timing="static") as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("current_tracer", "function")
        kernel, log = machine.kernel, []

        def record(cpu: Cpu, address: int) -> None:
            task = kernel.tasks.current(cpu)
            count = kernel.memory.member(kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
            log.append((cpu.cycles, cpu.registers(), kernel.tasks.pid(task), count))

        machine.board.callouts.dispatch(kernel.image.symbol("ftrace_caller"), machine.board.python_handler(record))
        start = time.process_time()
        machine.run(WORKLOAD)
        return time.process_time() - start, len(log)


def nanoseconds_per_call(arch: str) -> dict[str, float]:
    """By name, nanoseconds of a traced call beyond that with the nop tracer."""
    best = best_of_each(arch)
    untraced, calls = best["nop"].seconds, best["function"].entries
    print(f"{arch}: workload '{WORKLOAD}' takes {untraced:.2f} s untraced, and makes {calls} calls")
    costs = {name: (best[tracer].seconds - untraced) / calls * 1e9 for tracer, name in NAMES.items()}
    hook, hooked = with_python_hook(arch)
    return {**costs, "Python block hook": (hook - untraced) / hooked * 1e9}


def main() -> None:
    costs = {arch: nanoseconds_per_call(arch) for arch in ARCHES}
    first = costs[ARCHES[0]]
    print(f"{'ns a call':32}" + "".join(f"{arch:>10}" for arch in ARCHES) + f"   over {ARCHES[0]}")
    for name in first:
        row = "".join(f"{found[name]:10.0f}" for found in costs.values())
        print(f"{name:32}{row}   {costs[ARCHES[-1]][name] / first[name]:.2f}")


if __name__ == "__main__":
    main()
