# SPDX-License-Identifier: GPL-2.0-only
"""What a traced call costs on the host, on each architecture: `function` and `function_graph` over a nop, beside a Python
block hook that keeps the same.

    ./venv python benchmarks/trace_cost.py
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from arches import ARCHES

from emu.cpu.cpu import Cpu
from emu.machine import Machine

WORKLOAD = "busy 1 60"
ROUNDS = 9
BUFFER_KB = 200_000


def best_times(arch: str, tracers: Sequence[str]) -> tuple[dict[str, float], int]:
    """Host seconds of the workload by tracer, the best of several runs taken in turns, and how many calls `function` recorded."""
    machines = {}
    for tracer in tracers:
        machines[tracer] = machine = Machine(arch=arch, cpus=1)
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        machine.tracefs.write("current_tracer", tracer)
    best = dict.fromkeys(tracers, float("inf"))
    for _ in range(ROUNDS):
        for tracer, machine in machines.items():
            machine.tracefs.write("trace", "")
            start = time.process_time()
            done = machine.run(WORKLOAD, trace=True)
            best[tracer] = min(best[tracer], time.process_time() - start)
            assert done.status == 0, done.output
    ring = machines["function"].trace_array.recorder.rings[0]
    return best, ring.entries + ring.overrun


def with_python_hook(arch: str) -> tuple[float, int]:
    """The function tracer's trampoline calls Python, which keeps time, registers (function and caller are in them, or where
    they point), task and state of the CPU."""
    with Machine(arch=arch, cpus=1) as machine:
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


def nanoseconds_per_call(arch: str) -> dict[str, float]:
    best, calls = best_times(arch, ("nop", "function", "function_graph"))
    peer, peer_calls = with_python_hook(arch)
    base = best["nop"]
    print(f"{arch}: workload '{WORKLOAD}' takes {base:.2f} s untraced, and makes {calls} calls")
    return {
        "function": (best["function"] - base) / calls * 1e9,
        "function_graph (entry and exit)": (best["function_graph"] - base) / calls * 1e9,
        "Python block hook": (peer - base) / peer_calls * 1e9,
    }


def main() -> None:
    costs = {arch: nanoseconds_per_call(arch) for arch in ARCHES}
    first = costs[ARCHES[0]]
    print(f"{'ns a call':32}" + "".join(f"{arch:>10}" for arch in ARCHES) + f"   over {ARCHES[0]}")
    for name in first:
        row = [costs[arch][name] for arch in ARCHES]
        print(f"{name:32}" + "".join(f"{cost:10.0f}" for cost in row) + f"   {row[-1] / row[0]:.2f}")


if __name__ == "__main__":
    main()
