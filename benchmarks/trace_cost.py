# SPDX-License-Identifier: GPL-2.0-only
"""What a traced call costs on the host: `function` and `function_graph` over a nop, beside a Python block hook that
records the same.

    ./venv python benchmarks/trace_cost.py
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from emu.cpu.cpu import Cpu
from emu.machine import Machine

WORKLOAD = "busy 1 60"
ROUNDS = 9
BUFFER_KB = 200_000


def best_times(tracers: Sequence[str]) -> tuple[dict[str, float], int]:
    """Host seconds of the workload by tracer, the best of several runs taken in turns, and how many calls `function` recorded."""
    machines = {}
    for tracer in tracers:
        machines[tracer] = machine = Machine(cpus=1)
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
    ring = machines["function"].engine.rings[0]
    return best, ring.entries + ring.overrun


def with_python_hook() -> tuple[float, int]:
    """The function tracer's trampoline calls Python, which notes time, function, caller, task and state of the CPU."""
    with Machine(cpus=1) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("current_tracer", "function")
        kernel, log = machine.kernel, []

        def record(cpu: Cpu, address: int) -> None:
            registers = cpu.registers()
            task = kernel.tasks.current(cpu)
            count = kernel.member(kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
            sp = registers["sp"]
            log.append(
                (cpu.cycles, kernel.read_word(sp) - 5, kernel.read_word(sp + 8), kernel.tasks.pid(task), count,
                 registers["flags"] & 0x200)
            )  # fmt: skip

        machine.board.dispatch(kernel.image.symbol("ftrace_caller"), machine.board.python_handler(record))
        start = time.process_time()
        machine.run(WORKLOAD)
        return time.process_time() - start, len(log)


def main() -> None:
    best, calls = best_times(("nop", "function", "function_graph"))
    peer, peer_calls = with_python_hook()
    base = best["nop"]
    per_function = (best["function"] - base) / calls * 1e9
    per_graph = (best["function_graph"] - base) / calls * 1e9
    per_peer = (peer - base) / peer_calls * 1e9
    print(f"workload '{WORKLOAD}': {base:.2f} s untraced, {calls} traced calls")
    print(f"function          {per_function:7.0f} ns a call")
    print(f"function_graph    {per_graph:7.0f} ns a call (entry and exit)")
    print(f"Python block hook {per_peer:7.0f} ns a call: {per_peer / per_function:.0f} times function")


if __name__ == "__main__":
    main()
