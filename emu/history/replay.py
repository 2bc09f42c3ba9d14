# SPDX-License-Identifier: GPL-2.0-only
"""Going to instants of a run: to the nearest checkpoint, and from there by executing again.

An instant in the midst of a block is reached in three steps: to the beginning of its turn, by blocks to its block, and then by
instructions that are not accounted, because the block was accounted when it began. The last two change the state in ways that do
not belong to the run, so the machine goes on from the beginning of the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter

from emu.cpu.native import block_record, turns
from emu.cpu.native import history as native
from emu.cpu.native.cpu_records import Board
from emu.cpu.native.history_record import NOWHERE, History, Moment
from emu.cpu.snapshot import Checkpoints
from emu.history.driver import Driver
from emu.history.points import Point, Points
from emu.history.shown import Shown
from emu.history.stopping import Stopping
from emu.history.stops import Instant, Watchpoint
from emu.kernel.endings import GuestPanic, PoweredOff

__all__ = ["LATEST", "Replay"]

_NOWHERE = int(NOWHERE)
LATEST = Instant(_NOWHERE, _NOWHERE, _NOWHERE)
_ANY_SIZE = 0xFFFF_FFFF
_LONGEST = 16  # bytes of an instruction, of any architecture
_SHARE = 50  # a run makes a checkpoint when it has lasted this many times as long as making the last one took


class Replay:
    """Args:
        driver: the machine.
        budget: bytes of checkpoints.
        apart: an object that the machine may refer to, but that does not go back.

    Attributes:
        now: the present instant.
        shown: what is shown there; None: the machine is as the run was.
        points: the checkpoints.
        due: the host's time (time.perf_counter) at which a run should make the next one.
        host_stop: what `collect` has found last of the host's writes.
        stopping: the stops.
        produced: bytes that the guest has written up to now.
        looks_ahead: whether it may be beyond what is wanted: see looking_ahead().
        withheld: what it has then written: the function to call, the bytes that it had written before, and the new ones.
        faulted: if an instruction that was shown has faulted, the instructions that its CPU had started with its block; or 0.
    """

    def __init__(self, driver: Driver, budget: int, apart: object) -> None:
        self.driver, self._board = driver, driver.board
        self.history = History.allocate()
        self._board.record.history = self.history
        self._board.loop = self._loop
        self.reason = turns.TIME
        self.produced = self.faulted = 0
        self.looks_ahead = False
        self.withheld: list[tuple[Callable[[bytes], object], int, bytes]] = []
        self.shown: Shown | None = None
        self.host_stop: tuple[Instant, Watchpoint] | None = None
        self.stopping = Stopping(self._board, self.history)
        self.points = Points(budget, self._is_usable)
        self._checkpoints = Checkpoints(self._board, driver.roots, [*driver.apart, driver, apart, self, self.stopping])
        self._from: Point | None = None  # the latest point that was restored or is an anchor, before the present
        self._near: Point | None = None  # from which the machine goes on when something is shown
        self.no_goal()
        self.now = self.boundary()
        self.keep(anchor=True)

    def _loop(self, board: Board, microseconds: int) -> int:
        outcome = native.run(board, microseconds)
        self.stopping.look()
        self.reason = outcome & 0xFF
        return outcome

    # Checkpoints

    def boundary(self) -> Instant:
        """The instant of a machine that is as the run was."""
        record, current = self._board.record, self._board.record.current
        if record.interrupted:
            return Instant(self.history.turns, self._board.cpus[current].instructions, _NOWHERE, current)
        return Instant(self.history.turns + 1, 0, 0, current)

    def _point(self, instant: Instant, anchor: bool = False) -> Point:
        cpus = self._board.cpus
        times = [time for cpu in cpus if (time := turns.ready_at(cpu.record)) != _NOWHERE]
        return Point(
            instant,
            self._checkpoints.save(),
            self.history.turns,
            tuple(cpu.instructions for cpu in cpus),
            int(min(times, default=self._board.now)),
            self.produced,
            self.driver.journal.position,
            dict(self.stopping.listening),
            self.stopping.watches,
            self.driver.patching,
            anchor,
        )

    def start(self) -> Point:
        """A point at the state of the run, without regard to what is shown: the one that the machine has just been restored
        from, if there is one."""
        point, counts = self._from, tuple(cpu.instructions for cpu in self._board.cpus)
        here = self.boundary(), self.history.turns, counts
        restored = point is not None and (point.instant, point.turns, point.instructions) == here
        return point if point is not None and restored else self._point(self.boundary())

    def _is_usable(self, point: Point) -> bool:
        return point.anchor or not point.patching or point.listening.keys() == self.stopping.breakpoints

    @property
    def patching(self) -> bool:
        """Whether code is being patched, now or where the machine goes on from."""
        return self.driver.patching or (self._near is not None and self._near.patching)

    def keep(self, anchor: bool = False) -> None:
        """Adds a point at the present."""
        begun = perf_counter()
        point = self._point(self.now, anchor)
        self.points.add(point)
        kept = perf_counter()
        self.due = kept + _SHARE * (kept - begun)
        if anchor:
            self._from = point

    def keep_here(self) -> Point:
        """Adds a point at the present, where the machine is as the run was, and returns it."""
        self.now = self.boundary()
        self.points.add(point := self._point(self.now))
        return point

    def restore(self, point: Point) -> None:
        """Goes back, or forward, to a point."""
        self._checkpoints.restore(point.checkpoint)
        self.history.turns, self.produced, self.driver.journal.position = point.turns, point.produced, point.outside
        self._board.unlimited()
        self.stopping.went_back(point.listening, point.watches)
        self.now, self.shown, self._near, self.faulted = point.instant, None, None, 0
        self._from = point

    def changed(self) -> None:
        """The machine was changed: it goes on from the present state."""
        record = self._board.record
        if self.shown is not None:
            record.interrupted = True
            cpu, (done, size, cost, cycles, instructions) = self._board.current, self.shown
            self._account(cycles - cost + cost * done // size, instructions)  # so later instants are later
            cpu.record.turn_end = max(cpu.record.turn_end, cpu.record.cycles + 1)
            cpu.forget_all()
        cpu = self._board.current
        cpu.record.deadline = 0
        record.interrupted &= not cpu.held
        self.shown = self._near = None
        self.keep(anchor=True)

    def resume(self) -> None:
        """Goes to where the run can go on from, at the present instant or a little before it."""
        if self._near is not None:
            now = self.now
            self.restore(self._near)
            self.to_turn(now.turn)
            self.now = now

    # Limits of what is noted, and goals

    def note_between(self, after: Instant | None, before: Instant | None, *, collect: bool = False) -> None:
        """Which stops are noted: those after an instant and before another one. None: no stops."""
        none = after is None or before is None
        _set(self.history.after, LATEST if after is None else after)
        _set(self.history.before, Instant(0) if none or before is None else before)
        self.history.collecting, self.history.stop = collect, 0

    def no_goal(self) -> None:
        """Runs go on until the machine was changed."""
        history, change = self.history, self.points.next_anchor(self._from)
        history.goal_turn = history.goal_instructions = history.goal_block = _NOWHERE
        if change is not None:
            history.goal_turn = _end_of(change.instant)

    @property
    def change(self) -> Point | None:
        """The change up to which the machine has run; None: it has not come to one."""
        change = self.points.next_anchor(self._from)
        there = change is not None and self.reason == native.GOAL and self.history.turns >= _end_of(change.instant)
        return change if there and not self._board.record.interrupted else None

    def goal_instructions(self, cpu: int, index: int) -> None:
        """The goal is the turn in which a CPU has started more than `index` instructions."""
        self.no_goal()
        self.history.goal_cpu, self.history.goal_instructions = cpu, index

    def collect(self, after: Instant, before: Instant) -> bool:
        """Runs on from the present state, to find the last stop between two instants. Returns whether there is one."""
        self.note_between(after, before, collect=True)
        self.no_goal()
        self.history.goal_turn = _end_of(before)
        self.host_stop = None
        if self.history.turns < self.history.goal_turn or self._board.record.interrupted:
            with suppress(GuestPanic, PoweredOff), self.looking_ahead():
                while self.driver.moment() and (self.reason != native.GOAL):
                    watch, now = self.stopping.host_wrote(), self.boundary()
                    if watch is not None and after < now < before:
                        self.host_stop = now, watch
        self.no_goal()
        return self.history.stop != 0 or self.host_stop is not None

    @contextmanager
    def looking_ahead(self) -> Iterator[None]:
        """A context in which the guest may run beyond what is wanted: what it writes there is withheld."""
        before, kept = self.looks_ahead, len(self.withheld)
        self.looks_ahead = True
        try:
            yield
        finally:
            self.looks_ahead = before
            del self.withheld[kept:]

    def run_to_goal(self) -> bool:
        """Runs moments until the goal, or to a change. Returns False if nothing can happen before, or the guest ends."""
        try:
            while self.driver.moment():
                if self.reason == native.GOAL:
                    return True
        except (GuestPanic, PoweredOff):
            return self._ends_at_goal
        return False

    @property
    def _ends_at_goal(self) -> bool:
        """Whether a guest that has ended has come to a goal that is not a block."""
        history, goal = self.history, self.history.goal_instructions
        after_turn = history.turns >= history.goal_turn and not self._board.record.interrupted
        return after_turn or (goal != _NOWHERE and self._board.cpus[history.goal_cpu].instructions > goal)

    # Going to an instant

    def to_turn(self, turn: int) -> None:
        """Runs to the beginning of a turn, unless the machine is in it already."""
        self.note_between(None, None)
        self.no_goal()
        if self.history.turns < turn:
            self.history.goal_turn = turn - 1
            there = self.history.turns == turn - 1 and not self._board.record.interrupted
            if not there and not self.run_to_goal():
                raise AssertionError(f"turn {turn} is not reached again")
            self.no_goal()
        self.now, self.shown, self._near = self.boundary(), None, None

    def next_block(self) -> bool:
        """Goes on to the next block of the turn. Returns False if it is the last.

        Nothing of the block that is shown has been executed. The machine may only be looked at until it goes `to` an instant.
        """
        shown, turn, history = self.shown, self.now.turn, self.history
        assert shown is not None and shown.done == 0
        self._account(shown.cycles - shown.cost, shown.instructions - shown.size)  # the run accounts it again
        self.note_between(None, None)
        self.no_goal()
        history.goal_turn, history.goal_block = turn, shown.instructions + 1
        there = self.run_to_goal() and self._board.record.interrupted
        self.no_goal()
        block = self._board.current.record.goal_block
        if there and block is not None:
            self._show_block(turn, block_record.cost_of(block))
        return there

    def to_block(self, turn: int, instructions: int) -> None:
        """Runs to the beginning of the block of a turn with which its CPU has started at least so many instructions."""
        self.to_turn(turn)
        near = self.start()
        if not near.anchor:
            self.points.add(near)  # what has been looked at is gone back to, and gone on from
        self._run_to_block(turn, instructions)
        block = self._board.current.record.goal_block
        assert block is not None
        timed = self._board.timing is not None
        self._show_block(turn, self._cost(near, turn, instructions, block.instructions) if timed else block_record.cost_of(block))
        self._near = near

    def _show_block(self, turn: int, cost: int) -> None:
        """A block of a cost is about to begin, which was the goal."""
        cpu = self._board.current
        block = cpu.record.goal_block
        assert block is not None
        self.shown = shown = Shown(0, block.instructions, cost, cpu.cycles + cost, cpu.instructions + block.instructions)
        self._account(shown.cycles, shown.instructions)
        self.now = Instant(turn, shown.instructions, cpu.pc, cpu.index)

    def _run_to_block(self, turn: int, instructions: int) -> None:
        history = self.history
        history.goal_turn, history.goal_block = _NOWHERE, instructions
        self.reason = turns.TIME
        while self.reason != native.GOAL:
            if not self.driver.moment() or history.turns > turn:
                raise AssertionError(f"the block with instruction {instructions} is not reached again in turn {turn}")
        self.no_goal()

    def _cost(self, near: Point, turn: int, instructions: int, size: int) -> int:
        """What the next block, of `size` instructions, costs in a timing model with state: executes it, and comes back to it."""
        cpu, history = self._board.current, self.history
        before = cpu.cycles
        history.goal_turn, history.goal_block, self.reason = turn, cpu.instructions + size + 1, turns.TIME
        with suppress(GuestPanic, PoweredOff):
            while self.driver.moment() and self.reason != native.GOAL:
                pass
        cost = cpu.cycles - before
        self.restore(near)
        self.to_turn(turn)
        self._run_to_block(turn, instructions)
        return cost

    def _account(self, cycles: int, instructions: int) -> None:
        """Sets the clock and the counter of the CPU whose turn it is."""
        record = self._board.current.record
        record.cycles, record.instructions = cycles, instructions
        if (counter := record.cycle_counter) is not None and counter.address:
            counter[0] = cycles

    def show_next(self) -> bool:
        """Executes one more instruction of the block that is shown. Returns False, having done nothing, if it is the last."""
        shown = self.shown
        if shown is None or self.faulted or shown.done + 1 >= shown.size:
            return False
        cpu = self._board.current
        before = cpu.pc
        self.history.touched = 0
        cpu.record.state.cflags_next_tb = 1
        native.show(self._board.record, cpu.record, shown.cycles, shown.instructions, shown.done == 0)
        cpu.record.state.cflags_next_tb = _ANY_SIZE
        self._account(shown.cycles, shown.instructions)
        if not 0 <= cpu.pc - before <= _LONGEST:
            self.faulted = shown.instructions
            return False
        self.shown = shown._replace(done=shown.done + 1)
        self.now = Instant(self.now.turn, shown.instructions, cpu.pc, cpu.index)
        return True

    def to_index(self, turn: int, index: int) -> None:
        """Runs to where the CPU of a turn has started `index` instructions."""
        self.to_block(turn, index + 1)
        while (shown := self.shown) and shown.instructions - shown.size + shown.done < index and self.show_next():
            pass

    def to(self, instant: Instant) -> None:
        """Goes to an instant.

        Raises:
            ValueError: it is before the history.
        """
        point = self.points.before(instant)
        if point is None:
            raise ValueError(f"{instant} is before the history")
        self.restore(point)
        if point.instant == instant:
            return
        if not instant.instructions:
            self.to_turn(instant.turn)
            return
        if instant.place == _NOWHERE:
            self.note_between(None, None)
            self.no_goal()
            with suppress(GuestPanic, PoweredOff):
                while self.boundary() < instant and self.driver.moment():
                    pass
            self.now = self.boundary()
            return
        self.to_block(instant.turn, instant.instructions)
        while self.now < instant and self.show_next():
            pass


def _end_of(instant: Instant) -> int:
    """The number of turns that have begun when the machine comes to the end of an instant's turn, or to its beginning."""
    return instant.turn if instant.instructions else instant.turn - 1


def _set(moment: Moment, instant: Instant) -> None:
    moment.turn, moment.instructions, moment.place, moment.late = instant.turn, instant.instructions, instant.place, 0
