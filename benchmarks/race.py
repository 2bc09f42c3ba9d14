# SPDX-License-Identifier: GPL-2.0-only
"""How fast the race lab is: the native search next to the one in Python and to SPIN, snapshots next to fork, and how long the
machine takes to confirm what the model says.

    ./venv python benchmarks/race.py [search] [spin] [snapshots] [agreement]

All figures are processor time. SPIN (spin.py has its settings) searches what promela.py writes, a model as SPIN's users write
them: it determines in each state which steps are possible. emu works that out for one CPU before the search, which is included in
its time, and treats CPUs as interchangeable. Verdicts, lengths of schedules and, but for the order of CPUs, states are the same.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

from arches import ARCHES
from promela import promela
from spin import NoSpin, children_time, spin_search, spin_version

from emu.machine import Machine
from emu.race import machine, model
from emu.race.agreement import cases, disagreement
from emu.race.limits import Limits
from emu.race.machine.labs import lab
from emu.race.model import automaton_of
from emu.race.model.native_search import native_search
from emu.race.model.search import Found, search
from emu.race.model.tables import Tables
from emu.race.scenario.scenario import Scenario
from emu.race.scenario.scenario_file import parse

ROUNDS = 5
LIMIT = Limits(states=200_000)  # for the searches beside Python's
LARGE = (
    "protocol breakpoint; place 61 13; cpus 3; nmi 1 2; fetch torn1",
    "protocol breakpoint; place 13 5; cpus 3; nmi 1; fetch stale",
    "protocol breakpoint; place 61 13; cpus 4; nmi 1 2; fetch torn1",
    "protocol breakpoint; place 61 13; cpus 4; fetch stale",
    "protocol flush; arch sparc64; place 0 0; cpus 4; nmi 1 2; fetch flushed",
    "protocol breakpoint without 4; place 61 13; cpus 3; nmi 1 2; fetch torn1",
)
SMALL = "protocol stop_machine; place 61 13; cpus 3; nmi 1 2; fetch torn1"
WIDTH = max(map(len, LARGE))
EXPLORED = "protocol {}; arch {}; cpus 2; nmi 1; fetch {}"
BUSY = "busy 8 1000000 &"
RUN = 100_000  # cycles between two checkpoints


def scenario_of(text: str) -> Scenario:
    return parse("scenario benchmark\n" + text.replace("; ", "\n") + "\n")


def processor_time() -> float:
    """Seconds of processor time of this process and of its ended children."""
    return time.process_time() + children_time()


def least(work: Callable[[], object], times: int = 1, rounds: int = ROUNDS) -> float:
    """Seconds of processor time, the smallest of several rounds; in each, the work is done `times` times."""
    best = float("inf")
    for _ in range(rounds):
        start = processor_time()
        for _ in range(times):
            work()
        best = min(best, (processor_time() - start) / times)
    return best


def search_rates(scenario: Scenario) -> tuple[int, float, float]:
    """The number of states, and the states per second in Python and in native code. Both start from the scenario's tables."""
    tables = Tables(automaton_of(scenario, scenario.fetch[0]))
    found: list[Found] = []
    slow = least(lambda: found.append(search(tables, scenario.cpus, LIMIT)), rounds=1)
    states = found[0].states
    fast = least(lambda: found.append(native_search(tables, scenario.cpus, LIMIT)), 1 + 50_000 // states)
    assert all(other == found[0] for other in found)
    return states, states / slow, states / fast


def searches() -> None:
    print(f"{'search':{WIDTH}}{'states':>10}{'Python/s':>10}{'native/s':>12}{'ratio':>7}")
    for text in LARGE:
        states, slow, fast = search_rates(scenario_of(text))
        print(f"{text:{WIDTH}}{states:10,}{slow:10,.0f}{fast:12,.0f}{fast / slow:7.0f}")


def beside_spin(text: str) -> str:
    """The whole check of a scenario by emu and by SPIN, as columns."""
    scenario = scenario_of(text)
    (fetch,) = scenario.fetch
    ours = model.explore(scenario, fetch)
    seconds = least(lambda: model.explore(scenario, fetch))
    peer = spin_search(promela(scenario, fetch))
    assert (ours.wrong, len(ours.schedule)) == (peer.wrong, peer.length)
    return (
        f"{peer.wrong or 'safe':>6}{ours.states:10,}{peer.states:11,}{ours.states / seconds:12,.0f}"
        f"{peer.states / peer.searching:10,.0f}{seconds:9.3f}{peer.searching:8.2f}{peer.searching / seconds:7.0f}"
        f"{(peer.compiling + peer.searching) / seconds:9.0f}"
    )


def spin() -> None:
    try:
        print(spin_version())
    except NoSpin as why:
        print(f"no peer, so no ratios: {why}")
        return
    names = f"{'states':>10}{'SPIN':>11}{'states/s':>12}{'SPIN':>10}{'seconds':>9}{'SPIN':>8}{'ratio':>7}{'with cc':>9}"
    print(f"{'':{WIDTH + 6}}{names}")
    for text in (*LARGE, SMALL):
        print(f"{text:{WIDTH}}{beside_spin(text)}")


def fork() -> None:
    """Forks this process, and waits for the copy's end."""
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def window(arch: str) -> tuple[float, float, float]:
    """Seconds to save and to restore a snapshot in a lab that has explored a scenario, and to fork the same process."""
    protocol, fetch = ("breakpoint", "torn1") if arch == "x86_64" else ("flush", "flushed")
    machine.explore(scenario_of(EXPLORED.format(protocol, arch, fetch)), fetch)
    snapshots = lab(arch, 2, 0).snapshots
    saved = snapshots.save()
    save = least(snapshots.save, 1000)
    restore = least(lambda: snapshots.restore(saved), 1000)
    return save, restore, least(fork, 20)


def whole(arch: str) -> tuple[float, float, float]:
    """The same for checkpoints of a busy machine, each after it has run a little."""
    with Machine(arch=arch, cpus=4, timing="static") as busy:
        busy.run(BUSY)
        saved = busy.checkpoint()

        def after_running(work: Callable[[], object]) -> float:
            taken = []
            for _ in range(20):
                busy.advance(RUN)
                taken.append(least(work, rounds=1))
            return min(taken)

        save = after_running(busy.checkpoint)
        restore = after_running(lambda: busy.restore(saved))
        return save, restore, least(fork, 20)


def snapshots() -> None:
    print(f"{'microseconds':40}{'save':>9}{'restore':>9}{'fork':>9}{'fork / both':>13}")
    for arch in ARCHES:
        for name, measure in (("snapshot in a lab of 2 CPUs", window), ("checkpoint of a busy machine", whole)):
            save, restore, forked = (seconds * 1e6 for seconds in measure(arch))
            print(f"{arch + ': ' + name:40}{save:9.0f}{restore:9.0f}{forked:9.0f}{forked / (save + restore):13.1f}")


def agreement() -> None:
    chosen = cases()
    start = processor_time()
    differ = [text for case in chosen if (text := disagreement(case))]
    taken = processor_time() - start
    same = len(chosen) - len(differ)
    print(f"model and machine agree on {same} of {len(chosen)} cases: {taken:.1f} s, with booting and replays")
    print("".join(f"    {text}\n" for text in differ), end="")
    for arch in ARCHES:
        start = processor_time()
        moves = sum(machine.explore(*case).moves for case in chosen if case.scenario.arch == arch)
        print(f"{arch}: {moves:,} events on the machine, {moves / (processor_time() - start):,.0f} a second")


PARTS = {"search": searches, "spin": spin, "snapshots": snapshots, "agreement": agreement}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = [*PARTS, []]  # for its check, argparse sees an empty list here, too
    arguments.add_argument("parts", nargs="*", choices=choices, metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    for name in arguments.parse_args().parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
