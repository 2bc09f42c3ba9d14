# SPDX-License-Identifier: GPL-2.0-only
"""Random travel where an instant is hard to come to again: among NMIs."""

from __future__ import annotations

import functools

import pytest

from emu.history.stops import Breakpoint, Reason
from emu.machine import Machine
from tests.history.test_instants import Journey, forward_only

MEMORY = 64 << 20
WATCHDOGS = "nmi_watchdog=1 watchdog_thresh=1"
SLOW = {"x86_64": 4_000_000, "sparc64": 10_000_000, "riscv64": 10_000_000}  # Hz: a second, after which an NMI comes, is short
BUSY = "busy 2 12; echo hi | wc"


def nmi_handler(machine: Machine) -> int:
    symbols = machine.kernel.image.symbols
    return next(symbols[name] for name in ("exc_nmi", "do_nmi") if name in symbols)


@pytest.mark.long("takes a minute")
@pytest.mark.parametrize("arch", ["x86_64", "sparc64", "riscv64"])
def test_among_nmis_of_watchdogs(arch: str) -> None:
    make = functools.partial(Machine, arch=arch, cpus=2, memory=MEMORY, frequency=SLOW[arch], command_line=WATCHDOGS)
    with make() as machine:
        journey = Journey(machine, BUSY, machine.kernel.image.symbols.get, seed=3)
        travel, handler = journey.travel, Breakpoint(nmi_handler(machine))
        travel.goto(travel.first)
        travel.add(handler)
        nmis = []
        while (stopped := travel.go()).reason == Reason.BREAKPOINT:
            nmis.append(stopped.instant)
        assert (stopped.reason, journey.state()) == (Reason.ENDED, journey.end_state)
        assert len(nmis) > 3
        assert [travel.back().instant for _ in nmis] == nmis[::-1]
        travel.remove(handler)
        for n, instant in enumerate(nmis[:5]):
            travel.goto(instant)
            journey.check()
            travel.back_step(instant.cpu, 1 + n)
            journey.check()
            travel.step(instant.cpu, 2 + n)
            journey.check()
            travel.step(instant.cpu, 200)
            journey.check()
            travel.back_step(instant.cpu, 200)
            journey.check()
        journey.stops.append(handler)
        journey.go(16)
    with make() as machine:
        forward_only(machine, arch, BUSY, journey.states)
