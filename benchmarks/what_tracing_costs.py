# SPDX-License-Identifier: GPL-2.0-only
"""What tracing costs the guest according to a timing model, in cycles: the tables of docs/what-tracing-costs.md.

    ./venv python benchmarks/what_tracing_costs.py [--timing MODEL] [--cpu-model NAME]

All times are virtual, so they are the same on each host and in each run.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from emu import Machine
from emu.cpu.timing import CACHES

COMMAND = "dd if=/dev/zero of=/dev/null bs=1 count=2000 2>/dev/null"
LOAD = "busy 4 100000 > /dev/null &"
BUFFER_KB = "20000"


def totals(machine: Machine) -> dict[str, int]:
    """The counters, summed over all CPUs."""
    timing = machine.board.timing
    assert timing is not None
    counts = [timing.counts(cpu.index) for cpu in machine.board.cpus]
    found = {name: sum(count[name] for count in counts) for name in counts[0]}
    found["instructions"] = sum(cpu.instructions for cpu in machine.board.cpus)
    found["cycles"] = sum(cpu.cycles for cpu in machine.board.cpus)
    return found


def between(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def recorded(machine: Machine) -> int:
    """The number of entries in the buffers."""
    return machine.trace_array.summary().events


def traced(machine: Machine, tracer: str) -> tuple[dict[str, int], int]:
    """The counters for a command under a tracer, and the number of traced functions."""
    machine.tracefs.write("current_tracer", tracer)
    machine.run(COMMAND, trace=True)  # once to translate the patched code, and to fill the caches
    machine.tracefs.write("trace", "")
    before = totals(machine)
    machine.run(COMMAND, trace=True)
    counted = between(before, totals(machine))
    return counted, recorded(machine) // (2 if tracer == "function_graph" else 1)


def without_pairing(machine: Machine) -> None:
    """Makes return_to_handler push a word and jump, not call: the `ret` at its end then uses up its caller's prediction."""
    kernel, board = machine.kernel, machine.board
    place = kernel.image.symbol("return_to_handler") - board.arch.kernel_map
    code = bytes(board.ram[place : place + 6])
    assert code[0] == 0xE8 and code[5] == 0xCC, code.hex()  # call ftrace_return_to_handler; int3
    distance = int.from_bytes(code[1:5], "little", signed=True) - 1
    board.write_code(place, b"\x50\xe9" + distance.to_bytes(4, "little", signed=True))  # push %rax; jmp
    board.flush_page(place)


def tracers(**model: str | None) -> None:
    print(f"{COMMAND}\n")
    print(f"{'tracer':32} {'functions':>9} {'cycles each':>11} {'insns each':>10} {'return misses each':>18}")
    with Machine(cpus=1, **model) as machine:  # type: ignore[arg-type]  # only strings
        machine.tracefs.write("buffer_size_kb", BUFFER_KB)
        plain, _ = traced(machine, "nop")
        rows = [("function", "function"), ("function_graph", "function_graph")]
        for name, tracer in rows:
            _row(name, plain, *traced(machine, tracer))
        machine.tracefs.write("current_tracer", "nop")
        without_pairing(machine)
        _row("function_graph, unpaired return", plain, *traced(machine, "function_graph"))


def _row(name: str, plain: Mapping[str, int], counted: Mapping[str, int], functions: int) -> None:
    more = between(plain, counted)
    each = [more[event] / functions for event in ("cycles", "instructions", "return-misses")]
    print(f"{name:32} {functions:9,} {each[0]:11.1f} {each[1]:10.1f} {each[2]:18.2f}", flush=True)


EVENTS: Sequence[str] = ("traps", "serialising", "L1-icache-load-misses", "coherence-transfers", "return-misses")


def switches(**model: str | None) -> None:
    print(f"\nAll sites are switched while 4 CPUs run {LOAD.split(' >')[0]}: what the 4 CPUs count until it is done\n")
    print(f"{'protocol':14} {'to':10} {'us':>8} {'traps':>7} {'icache misses':>13} {'transfers':>9} {'CPI':>6}")
    for protocol in ("breakpoint", "stop_machine"):
        with Machine(cpus=4, patching=protocol, **model) as machine:  # type: ignore[arg-type]
            machine.tracefs.write("tracing_on", "0")
            machine.run(LOAD)
            machine.run("sleep 0.01")
            for tracer in ("function", "nop"):
                before, begin = totals(machine), machine.board.now
                machine.tracefs.write("current_tracer", tracer)
                counted = between(before, totals(machine))
                time = machine.board.nanoseconds(machine.board.now - begin) / 1000
                print(
                    f"{protocol:14} {tracer:10} {time:8.1f} {counted['traps']:7,} {counted['L1-icache-load-misses']:13,}"
                    f" {counted['coherence-transfers']:9,} {counted['cycles'] / counted['instructions']:6.2f}",
                    flush=True,
                )


# In 2025 Linux counted the users of the breakpoints that patching had put in place in one word for all CPUs. Then each
# CPU got a counter of its own. Here a function that all CPUs call counts in either way.
COUNTED = "__might_fault"
SHARED_COUNT = "mov rax, per_cpu_timerlat_var; lock inc qword ptr [rax]; ret"
COUNT_PER_CPU = "mov rax, per_cpu_timerlat_var; add rax, qword ptr gs:[24]; lock inc qword ptr [rax]; ret"  # percpu_offset
SHARERS = "for n in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=1 count=500 2>/dev/null & done; wait"


def false_sharing(**model: str | None) -> None:
    print(f"\n{COUNTED}() counts its calls; 4 CPUs run dd: the functions with most transfers\n")
    print(f"{'count':12} {'function':20} {'transfers':>9} {'cycles':>12}  of all cycles")
    with Machine(cpus=4, **model) as machine:  # type: ignore[arg-type]
        for name, code in (("shared", SHARED_COUNT), ("per CPU", COUNT_PER_CPU)):
            with machine.patch(COUNTED, asm=code):
                machine.run(SHARERS)
                with machine.counting(functions=True) as counts:
                    machine.run(SHARERS)
            assert counts.functions is not None
            rows = sorted(counts.functions.items(), key=lambda row: -row[1]["coherence-transfers"])[:3]
            for function, row in rows:
                share = row["cycles"] / counts["cycles"]
                print(f"{name:12} {function:20} {row['coherence-transfers']:9,} {row['cycles']:12,}  {share:6.1%}", flush=True)
            print(f"{name:12} {'(all)':20} {counts['coherence-transfers']:9,} {counts['cycles']:12,}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timing", default=CACHES)
    parser.add_argument("--cpu-model", default=None)
    arguments = parser.parse_args()
    tracers(timing=arguments.timing, cpu_model=arguments.cpu_model)
    switches(timing=arguments.timing, cpu_model=arguments.cpu_model)
    if arguments.timing == CACHES:
        false_sharing(timing=arguments.timing, cpu_model=arguments.cpu_model)


if __name__ == "__main__":
    main()
