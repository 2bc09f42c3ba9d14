# SPDX-License-Identifier: GPL-2.0-only
"""What a traced call costs on the host: `function` and `function_graph` over a nop, beside a Python block hook that
records the same.

    ./venv python benchmarks/trace_cost.py
"""

from __future__ import annotations

import time

from emu.cpu.cpu import Cpu
from emu.machine import Machine

WORKLOAD = "busy 1 4"
ROUNDS = 3
BUFFER_KB = 200_000


def seconds(machine: Machine) -> float:
    """Host time of the workload, the best of several runs."""
    best = float("inf")
    for _ in range(ROUNDS):
        machine.tracefs.write("trace", "")
        start = time.perf_counter()
        done = machine.run(WORKLOAD, trace=True)
        best = min(best, time.perf_counter() - start)
        assert done.status == 0, done.output
    return best


def recorded(machine: Machine) -> int:
    """Events in the buffers."""
    return sum(ring.entries + ring.overrun for ring in machine.engine.rings)


def with_tracer(tracer: str) -> tuple[float, int]:
    with Machine(cpus=1) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        machine.tracefs.write("current_tracer", tracer)
        best = seconds(machine)
        return best, recorded(machine)


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
        start = time.perf_counter()
        machine.run(WORKLOAD)
        return time.perf_counter() - start, len(log)


def main() -> None:
    base, _ = with_tracer("nop")
    function, calls = with_tracer("function")
    graph, _ = with_tracer("function_graph")
    peer, peer_calls = with_python_hook()
    per_function = (function - base) / calls * 1e9
    per_graph = (graph - base) / calls * 1e9
    per_peer = (peer - base) / peer_calls * 1e9
    print(f"workload '{WORKLOAD}': {base:.2f} s untraced, {calls} traced calls")
    print(f"function          {per_function:7.0f} ns a call")
    print(f"function_graph    {per_graph:7.0f} ns a call (entry and exit)")
    print(f"Python block hook {per_peer:7.0f} ns a call: {per_peer / per_function:.0f} times function")


if __name__ == "__main__":
    main()
