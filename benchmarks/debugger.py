# SPDX-License-Identifier: GPL-2.0-only
"""What a debugger costs, as ratios to the same run without one, and how fast a machine goes back.

    ./venv python benchmarks/debugger.py [--arch ARCH] [--rounds ROUNDS] [--back]

Each ratio is the median of pairs: a run by `Machine.run`, then the same run by `Travel` on the same machine. Times are
processor time of the process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from emu.architectures import ARCHITECTURES
from emu.history.stops import Breakpoint, Reason, Stop, Watchpoint
from emu.history.travel import Travel
from emu.machine import Machine

PAIRS = 5
STOPS = 200
MEMORY = 256 << 20
WORKLOAD = "busy 1 {rounds}"
UNKNOWN = 0x1234_5000  # nothing is there


def seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


@contextmanager
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2, memory=MEMORY, timing="static") as made:
        made.run("true")
        yield made


def run_through(travel: Travel) -> None:
    """Runs to the end of the command, at which no stop is met."""
    assert travel.go().reason == Reason.ENDED


def with_stops(arch: str, workload: str, stops_of: Callable[[Machine], list[Stop]]) -> float:
    """Runs with stops that are not met, over runs without a debugger: the median of the ratios."""
    ratios = []
    for _ in range(PAIRS):
        with machine(arch) as plain, machine(arch) as stopped:
            without = seconds(lambda: plain.run(workload))
            travel = Travel(stopped)
            travel.begin(workload)
            for stop in stops_of(stopped):
                travel.add(stop)
            ratios.append(seconds(partial(run_through, travel)) / without)
    return statistics.median(ratios)


def symbol(name: str) -> Callable[[Machine], int]:
    return lambda made: made.kernel.image.symbol(name)


def costs(arch: str, workload: str) -> None:
    """Prints what stops cost."""
    kinds: dict[str, Callable[[Machine], list[Stop]]] = {
        "no stop": lambda made: [],
        "a breakpoint that is not met": lambda made: [Breakpoint(symbol("panic")(made))],
        "twenty of them": lambda made: [Breakpoint(symbol("panic")(made) + 4 * n) for n in range(20)],
        "a watchpoint, not met": lambda made: [Watchpoint(UNKNOWN)],
        "a watchpoint of a page with much traffic": lambda made: [Watchpoint(symbol("jiffies")(made) + 64)],
    }
    for name, stops_of in kinds.items():
        print(f"{arch}: {name:44} {with_stops(arch, workload, stops_of):6.2f} times as long", flush=True)
    met: dict[str, Callable[[Machine], Stop]] = {
        "breakpoint": lambda made: Breakpoint(symbol("update_process_times")(made)),
        "watchpoint": lambda made: Watchpoint(symbol("jiffies")(made)),
    }
    for name, stop_of in met.items():
        with machine(arch) as made:
            travel = Travel(made)
            travel.begin(workload)
            travel.add(stop_of(made))
            took = sum(seconds(travel.go) for _ in range(STOPS))
            print(f"{arch}: each stop at a {name} takes {took / STOPS * 1000:.1f} ms", flush=True)


def back(arch: str, workload: str) -> None:
    """Prints how fast a machine goes back."""
    with machine(arch) as made:
        travel = Travel(made)
        travel.begin(workload)
        forward = seconds(lambda: run_through(travel))
        executed = [cpu.instructions for cpu in made.board.cpus]
        cpu = executed.index(max(executed))
        print(f"{arch}: forward, {sum(executed) / 1e6:.0f} million instructions in {forward:.2f} s")
        for count in (1, 1, 1000, 1_000_000, 1, 1):
            took = seconds(lambda count=count: travel.back_step(cpu, count))  # type: ignore[misc]
            print(f"{arch}: {count:8} instructions back take {took * 1000:7.1f} ms", flush=True)
        travel.goto(travel.last)
        travel.add(Watchpoint(UNKNOWN))
        travel.add(Breakpoint(symbol("panic")(made)))
        took = seconds(travel.back)
        print(f"{arch}: back through all of it: {took:.2f} s, {took / forward:.2f} times as long as forward")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--arch", choices=ARCHITECTURES, default=ARCHITECTURES[0])
    parser.add_argument("--rounds", type=int, default=240, help="of the workload")
    parser.add_argument("--back", action="store_true", help="only going back")
    options = parser.parse_args()
    workload = WORKLOAD.format(rounds=options.rounds)
    if not options.back:
        costs(options.arch, workload)
    back(options.arch, workload)


if __name__ == "__main__":
    main()
