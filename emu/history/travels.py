# SPDX-License-Identifier: GPL-2.0-only
"""Travel in time as methods of a machine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from emu.history.stops import Instant, Stop, StopReason, Watchpoint

if TYPE_CHECKING:
    from emu.history.driver import Driver
    from emu.history.travel import Travel

__all__ = ["Travels"]


class Travels:
    """A machine that can go back to instants since its `travel` was first used."""

    def driver(self) -> Driver:
        """Drives this machine; nothing else may run it meanwhile."""
        raise NotImplementedError

    @cached_property
    def travel(self) -> Travel:
        """Its history, which begins when this is first used. From then on, it alone runs the machine."""
        from emu.history.travel import Travel  # imported when needed: it is compiled

        return Travel(self)

    def at(self, time: int | Instant) -> StopReason:
        """Goes to a virtual time in nanoseconds or to an instant (Travel.goto)."""
        return self.travel.goto(time)

    def back(self, steps: int | None = None, *, cpu: int = 0) -> StopReason:
        """Goes back to the latest stop before now, or by so many instructions of a CPU (Travel.back, Travel.back_step)."""
        return self.travel.back() if steps is None else self.travel.back_step(cpu, steps)

    def watch(
        self, address: int, size: int = 8, *, reads: bool = False, writes: bool = True, physical: bool = False
    ) -> Stop:
        """Stops at accesses to memory from now on, until the result is given to travel.remove (Watchpoint)."""
        stop = Watchpoint(address, size, reads, writes, physical)
        self.travel.add(stop)
        return stop
