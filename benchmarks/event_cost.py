# SPDX-License-Identifier: GPL-2.0-only
"""What an event costs on the host, on each architecture: the events of a function that is called in a loop, over a nop, beside
the function tracer on the same function in the same run.

    ./venv python benchmarks/event_cost.py
"""

from __future__ import annotations

import time

from arches import ARCHES

from emu.machine import Machine

CALLS = 300_000
ROUNDS = 7
MEMORY = 128 << 20
BUFFER_KB = 60_000
CASES = {
    "nop": ("nop", ()),
    "function": ("function", ()),
    "event of two fields": ("nop", ("event_cost_fixed",)),
    "event with a string": ("nop", ("event_cost_string",)),
}


def switch(machine: Machine, case: str, on: bool) -> None:
    tracer, events = CASES[case]
    machine.tracefs.write("current_tracer", tracer if on else "nop")
    for event in events:
        machine.tracefs.write(f"events/event_cost/{event}/enable", str(int(on)))


def nanoseconds(arch: str) -> dict[str, float]:
    """Processor time over the nop's for each call, the best of several rounds, by case."""
    best = dict.fromkeys(CASES, float("inf"))
    with Machine(arch=arch, cpus=1, memory=MEMORY) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(BUFFER_KB))
        assert machine.run("insmod /lib/modules/event_cost.ko").status == 0
        machine.tracefs.write("set_ftrace_filter", "event_cost_call")
        for _ in range(ROUNDS):
            for case in CASES:
                switch(machine, case, on=True)
                machine.tracefs.write("trace", "")
                start = time.process_time()
                run = machine.run(f"echo {CALLS} > /sys/module/event_cost/parameters/calls", trace=True)
                best[case] = min(best[case], time.process_time() - start)
                assert run.status == 0
                found = machine.trace_array.summary().events
                assert found == (0 if case == "nop" else CALLS), f"{case}: {found} entries"
                switch(machine, case, on=False)
    return {case: (best[case] - best["nop"]) / CALLS * 1e9 for case in CASES if case != "nop"}


def main() -> None:
    costs = {arch: nanoseconds(arch) for arch in ARCHES}
    print(f"{'ns a call':24}" + "".join(f"{arch:>10}{'ratio':>7}" for arch in ARCHES))
    for case in costs[ARCHES[0]]:
        row = "".join(f"{found[case]:10.1f}{found[case] / found['function']:7.2f}" for found in costs.values())
        print(f"{case:24}{row}")


if __name__ == "__main__":
    main()
