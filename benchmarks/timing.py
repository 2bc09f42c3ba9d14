# SPDX-License-Identifier: GPL-2.0-only
"""What timing models cost on the host in processor time, against the static model in the same run.

    ./venv python benchmarks/timing.py [--rounds N] [--cpu-model NAME] [WORKLOAD]...

Machines with one CPU take turns at each workload; the best of the rounds counts. Each workload runs once before it is measured,
so that nothing remains to be translated.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack

from emu import Machine
from emu.cpu.timing import STATIC, TIMING_MODELS

WORKLOADS = {
    "dd": "dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null",
    "busy": "busy 1 20",
    "hackbench": "hackbench -p -g 1 -f 5 -l 20",
}
ROUNDS = 9


def measure(machine: Machine, command: str) -> tuple[float, int]:
    """The processor time that a command takes, in seconds, and the number of instructions that the guest executes for it."""
    instructions, begin = machine.board.cpus[0].instructions, time.process_time()
    done = machine.run(command)
    assert done.status == 0, done.output
    return time.process_time() - begin, machine.board.cpus[0].instructions - instructions


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--cpu-model", default=None)
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS))
    arguments = parser.parse_args()
    with ExitStack() as stack:
        machines = {}
        for model in TIMING_MODELS:
            cpu_model = None if model == STATIC else arguments.cpu_model
            machines[model] = stack.enter_context(Machine(cpus=1, timing=model, cpu_model=cpu_model))
        for name in arguments.workloads:
            best: dict[str, tuple[float, int]] = {}
            for machine in machines.values():
                measure(machine, WORKLOADS[name])
            for _ in range(arguments.rounds):
                for model, machine in machines.items():
                    best[model] = min(best.get(model, (9e9, 1)), measure(machine, WORKLOADS[name]))
            static = best[STATIC][0]
            for model, (seconds, instructions) in best.items():
                speed, times = instructions / seconds / 1e6, seconds / static
                print(f"{name:10} {model:9} {seconds * 1e3:8.1f} ms {speed:6.1f} MIPS {times:6.2f} times static", flush=True)


if __name__ == "__main__":
    main()
