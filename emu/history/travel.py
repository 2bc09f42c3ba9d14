# SPDX-License-Identifier: GPL-2.0-only
"""Travel in time: a machine runs to stops, forward and backward.

The machine is driven by `Travel` alone: its commands begin with `begin`, and go on with `go`, `step` and the others. Between
two calls the machine stands before an instruction, wherever that is in its block, and everything can be looked at: registers
and memory of machine.cpus, machine.board. Forward from there it runs as if it had never stopped: blocks, clocks, interrupts
and the state hash are the same with stops and without.

After a breakpoint, the machine stands before the instruction. After a watchpoint, going forward, it stands behind the
instruction that accessed memory; going backward, before it.

>>> travel = Travel(machine)
>>> travel.begin("cat /proc/uptime")
>>> travel.add(Breakpoint(machine.kernel.image.symbols["vfs_read"], cpu=1))
>>> travel.go()
StopReason(reason=Reason.BREAKPOINT, ...)
>>> travel.back_step(1, 100)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import perf_counter

from emu.cpu.native import turns
from emu.cpu.native.history import GOAL
from emu.history.driver import Travelling
from emu.history.points import Point
from emu.history.replay import LATEST, Replay
from emu.history.standing import Standing
from emu.history.stops import Instant, Reason, Stop, StopReason, Watchpoint
from emu.history.writing import Writing
from emu.kernel.endings import GuestPanic, PoweredOff

__all__ = ["Travel"]

_HISTORY = 512 << 20
_MARGINS = (16_000_000, 200_000, 0)  # instructions before those that are sought, at which there is a checkpoint


def _never() -> bool:
    return False


class Travel(Standing, Writing):
    """A machine with its history.

    Args:
        machine: nothing else may run it from now on.
        history: bytes that checkpoints may hold.
    """

    def __init__(self, machine: Travelling, history: int = _HISTORY) -> None:
        driver = machine.driver()
        self._driver = driver
        driver.divert(self._write)
        super().__init__(Replay(driver, history, self), driver.board)

    # What stops it

    def add(self, *stops: Stop) -> None:
        """Adds stops. Equal ones are one.

        Raises:
            ValueError: there is no such CPU, or a watchpoint has no bytes.
        """
        for stop in stops:
            self.replay.stopping.check(stop)
        self._change_stops(self.replay.stopping.wanted.union(stops))

    def remove(self, *stops: Stop) -> None:
        """Removes them. Raises KeyError if one is not there."""
        if missing := set(stops) - self.replay.stopping.wanted:
            raise KeyError(*missing)
        self._change_stops(self.replay.stopping.wanted.difference(stops))

    def _change_stops(self, stops: set[Stop]) -> None:
        """Where a breakpoint comes or goes, CPUs translate code anew. One that executes the code of before a change must not:
        the machine then comes from an earlier instant with these stops."""
        replay = self.replay
        replay.stopping.wanted = stops
        if replay.patching and replay.stopping.breakpoints != replay.stopping.listening.keys():
            replay.to(replay.now)
        else:
            replay.stopping.put_in_force()

    @property
    def stops(self) -> frozenset[Stop]:
        """The present stops."""
        return frozenset(self.replay.stopping.wanted)

    # Forward

    def begin(
        self, command: str | Sequence[str], stdin: bytes | None = b"", on_exec: Callable[[int], None] | None = None
    ) -> None:
        """Begins a command in the guest; `go` runs it. It is a change, as in `changing`. `stdin`: None: what `type` gives.

        Raises:
            BadCommand: the command is empty, too long, or has a NUL byte.
        """
        with self.changing():
            self._driver.begin(command, stdin, on_exec)

    def type(self, data: bytes) -> None:
        """Gives the command input, as if it were typed now; b"" ends the input. It is a change, too."""
        with self.changing():
            self._driver.type(data)

    def go(self, limit: int | None = None, interrupted: Callable[[], bool] = _never) -> StopReason:
        """Runs to the next stop after the present instant.

        Args:
            limit: virtual time in nanoseconds at which to stop: at the first turn that begins at or after it.
            interrupted: asked about twenty times a second whether to stop now.
        """
        replay = self.replay
        replay.resume()
        replay.no_goal()
        if limit is not None:
            self.board.limit = -(-limit * self.board.frequency // 1_000_000_000)
        try:
            return self._run(interrupted)
        finally:
            self.board.unlimited()

    def _run(self, interrupted: Callable[[], bool]) -> StopReason:
        """Runs on from the present state to a stop after `now`, or to the goal (Reason.STEP)."""
        replay = self.replay
        begun = replay.now
        replay.note_between(begun, LATEST)
        waited = self._driver.status is None
        while True:
            failed = None
            try:
                busy = self._driver.moment()
            except (GuestPanic, PoweredOff) as error:
                busy, failed = False, str(error)
            if replay.history.stop:
                return self._stopped()
            if (watch := replay.stopping.host_wrote()) is not None and replay.boundary() > begun:
                return self._stands(Reason.WATCHPOINT, stops=(watch,))
            if (change := replay.change) is not None:
                self._go_on_at(change)
                waited = self._driver.status is None
                continue
            if replay.reason == GOAL:
                return self._stands(Reason.STEP)
            if failed is not None:
                return self._stands(Reason.FAILED, text=failed)
            if waited and self._driver.status is not None:
                return self._stands(Reason.ENDED, status=self._driver.status)
            if not busy:
                return self._stands(Reason.TIME if replay.reason == turns.LIMIT else Reason.IDLE)
            if interrupted():
                return self._stands(Reason.INTERRUPTED)
            if perf_counter() >= replay.due:
                replay.now = replay.boundary()
                replay.keep()

    def _go_on_at(self, change: Point) -> None:
        """The machine has come to where it was changed: it goes on as it did after the change."""
        history, limit = self.replay.history, self.board.limit
        goal = history.goal_cpu, history.goal_instructions
        self.replay.restore(change)
        self.replay.no_goal()
        history.goal_cpu, history.goal_instructions = goal
        self.board.limit = limit

    def _stands(
        self, reason: Reason, *, status: int | None = None, text: str = "", stops: tuple[Watchpoint, ...] = ()
    ) -> StopReason:
        """The machine has stopped between two blocks, as the run was."""
        replay = self.replay
        replay.now, replay.shown = replay.boundary(), None
        self._last = max(self._last, replay.now)
        address = stops[0].address if stops else 0
        host = bool(stops)
        return StopReason(reason, replay.now, self.cpu, stops, host, address, host, status, text)

    def _stopped(self, *, before: bool = False) -> StopReason:
        """Goes to the stop that native code has noted; at a watchpoint behind it, unless `before`."""
        history, stopping = self.replay.history, self.replay.stopping
        moment = history.moment
        place = Instant(moment.turn, moment.instructions, moment.place, history.stop_cpu)
        late, write, address = bool(moment.late), history.stop_write, history.stop_address
        stops = stopping.at(history.stop, moment.place, place.cpu)
        self.replay.to(place)
        if late and not before:
            self._next_instruction()
        self._last = max(self._last, self.now)
        reason = Reason.WATCHPOINT if late else Reason.BREAKPOINT
        return StopReason(reason, self.now, place.cpu, stops, write, address)

    def _next_instruction(self) -> None:
        """Goes to the next instruction of the CPU whose turn it is, without regard to stops."""
        cpu, index = self.now.cpu, self._index(self.now.cpu)
        if not self.replay.show_next():
            index = max(index + 1, self.replay.faulted)
            self.replay.resume()
            self._seek(cpu, index)

    def _index(self, cpu: int) -> int:
        """How many instructions a CPU has started before the present instant."""
        shown = self.replay.shown
        if shown is not None and cpu == self.now.cpu:
            return shown.instructions - shown.size + shown.done
        return self.board.cpus[cpu].instructions

    def _seek(self, cpu: int, index: int, *, back: bool = False) -> bool:
        """Goes on from where the run goes on to where a CPU has started `index` instructions, without regard to stops.

        An instruction that faults ends its block. If the rest of the block would be the goal, goes to the next instruction that
        was executed, or `back` to the one that has faulted. Returns False if it does not get there.
        """
        replay = self.replay
        start: Point | None = replay.start()
        replay.note_between(None, None)
        for margin in _MARGINS:
            if start is not None and (not margin or index - start.instructions[cpu] > 2 * margin):
                start = self._run_to(cpu, index - margin, start)
                if not margin or start is None:
                    continue
                if self.board.cpus[cpu].instructions <= index:
                    start = replay.keep_here()
                else:  # a CPU that runs alone has long turns
                    replay.restore(start)
        turn = replay.history.turns
        replay.no_goal()
        if start is not None:
            replay.restore(start)
            replay.to_index(turn, index)
            if faulted := replay.faulted:
                place = replay.now
                replay.restore(start)
                if not back:
                    return self._seek(cpu, faulted)
                replay.to(place)
        return start is not None

    def _run_to(self, cpu: int, index: int, start: Point) -> Point | None:
        """Runs on to the turn in which a CPU starts an instruction. Returns the latest change before it, or `start`; None: it
        does not get there."""
        replay = self.replay
        replay.goal_instructions(cpu, index)
        with suppress(GuestPanic, PoweredOff), replay.looking_ahead():
            while replay.run_to_goal():
                if (change := replay.change) is None:
                    return start
                self._go_on_at(start := change)
        return None

    def step(self, cpu: int, count: int = 1, interrupted: Callable[[], bool] = _never) -> StopReason:
        """Runs until a CPU has executed `count` more instructions, or to a stop before that. The other CPUs run as ever.

        A sleeping CPU goes on sleeping until something wakes it (Reason.IDLE if nothing does).
        """
        replay = self.replay
        index = self._index(cpu) + count
        while count and cpu == self.now.cpu and replay.show_next():
            count -= 1
            if (stop := self._stop_here()) is not None:
                return stop
        if count:
            index = max(index, replay.faulted)
            replay.resume()
            start = replay.start()
            replay.goal_instructions(cpu, index)
            last = self._last
            with replay.looking_ahead():
                outcome = self._run(interrupted)
                if outcome.reason != Reason.STEP and self._index(cpu) <= index:
                    self._pass_on_withheld()
                    return outcome
            self._last = last
            replay.restore(start)
            if not self._seek(cpu, index):
                raise AssertionError(f"CPU {cpu} does not get to instruction {index} again")
        self._last = max(self._last, self.now)
        return StopReason(Reason.STEP, self.now, cpu)

    def _stop_here(self) -> StopReason | None:
        """The stop at the instruction that is shown, or that has just been executed."""
        replay, cpu = self.replay, self.now.cpu
        stopping = replay.stopping
        if touched := replay.history.touched:
            stops = stopping.at(touched, 0, cpu)
            return StopReason(Reason.WATCHPOINT, self.now, cpu, stops, replay.history.stop_write, replay.history.stop_address)
        if stops := stopping.at(0, self.now.place, cpu):
            return StopReason(Reason.BREAKPOINT, self.now, cpu, stops)
        return None

    # Backward

    def back(self, interrupted: Callable[[], bool] = _never) -> StopReason:
        """Goes back to the latest stop before the present instant, or to the first instant (Reason.START)."""
        return self._back_to(self.first, interrupted) or self._at_first()

    def _at_first(self) -> StopReason:
        self.replay.to(self.first)
        return StopReason(Reason.START, self.now, self.cpu)

    def _back_to(self, earliest: Instant, interrupted: Callable[[], bool]) -> StopReason | None:
        """Goes back to the latest stop between two instants, `earliest` and the present one; None: there is none."""
        replay, before = self.replay, self.now
        if not replay.stopping.wanted:
            return None
        while earliest < before and (point := replay.points.last_before(before)) is not None:
            replay.restore(point)
            if replay.collect(point.instant, before):
                return self._stopped_back()
            if interrupted():
                replay.restore(point)
                return StopReason(Reason.INTERRUPTED, self.now, self.cpu)
            before, at = point.instant, point.instant.place
            if point.anchor and earliest < before and (stops := replay.stopping.at(0, at, before.cpu)):  # changed at a stop
                replay.restore(point)
                if self.board.current.pc == at:  # it was not made to go on elsewhere
                    return StopReason(Reason.BREAKPOINT, self.now, self.cpu, stops)
        return None

    def _stopped_back(self) -> StopReason:
        """Goes to the last of the stops that were collected. Where the host wrote, the machine stands behind that."""
        moment, host = self.replay.history.moment, self.replay.host_stop
        guest = Instant(moment.turn, moment.instructions, moment.place) if self.replay.history.stop else Instant(0)
        if host is not None and guest < host[0]:
            self.replay.to(host[0])
            return StopReason(Reason.WATCHPOINT, self.now, self.cpu, (host[1],), True, host[1].address, True)
        return self._stopped(before=True)

    def back_step(self, cpu: int, count: int = 1) -> StopReason:
        """Goes back by `count` instructions of a CPU, or to a stop that is later than that."""
        replay, now = self.replay, self.now
        index = self._index(cpu) - count
        point = replay.points.with_fewer(cpu, index, now)
        if point is None:
            return self._back_to(self.first, _never) or self._at_first()
        replay.restore(point)
        self._seek(cpu, index, back=True)
        target = self.now
        if replay.stopping.wanted:
            replay.to(now)
            if (found := self._back_to(target, _never)) is not None and target < found.instant:
                return found
            replay.to(target)
        return StopReason(Reason.STEP, self.now, cpu)

    def goto(self, time: int | Instant) -> StopReason:
        """Goes to a virtual time in nanoseconds or to an instant, forward or backward, whatever stops there are between.

        Raises:
            ValueError: it is before `first`.
        """
        replay = self.replay
        if isinstance(time, Instant):
            replay.to(time)
        else:
            cycles = -(-time * self.board.frequency // 1_000_000_000)
            point = replay.points.at_time(cycles)
            if point is None:
                raise ValueError(f"{time} ns: the history begins later")
            replay.restore(point)
            replay.note_between(None, None)
            replay.no_goal()
            self.board.limit = cycles
            with suppress(GuestPanic, PoweredOff):
                while self._driver.moment():
                    if (change := replay.change) is not None:
                        self._go_on_at(change)
            self.board.unlimited()
            replay.now = replay.boundary()
        self._last = max(self._last, self.now)
        return StopReason(Reason.TIME, self.now, self.cpu)

    # Changes

    @contextmanager
    def changing(self) -> Iterator[bool]:
        """A context for changing the guest: writing memory or registers, calling functions.

        What was executed after the present instant is no longer of this run. The context's value says whether there was any:
        a new branch has then begun.

        >>> with travel.changing() as branched:
        ...     machine.board.ram[address] = 0
        """
        replay = self.replay
        branched = self.now < self.last
        self._branch += branched
        replay.points.cut(self.now)
        self._emitted = replay.produced
        self._driver.journal.cut()
        try:
            yield branched
        finally:
            self._last = replay.now
            replay.changed()
