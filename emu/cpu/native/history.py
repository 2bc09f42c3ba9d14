# SPDX-License-Identifier: GPL-2.0-only
"""A machine that stops at instructions and accesses to memory: the loop of turns, and the functions at stops.

A stop is noted, and the CPU's turn is interrupted at its next block, which is too late. The host then goes back to an earlier
checkpoint and executes again up to the noted moment, so nothing of this shows in the run.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import NEVER, NO_REQUEST, STOP_REQUEST, Block, Board, Cpu
from emu.cpu.native.history_record import ANY, NOWHERE, History, Moment, Watch
from emu.cpu.native.interrupts import stop
from emu.cpu.native.turns import NONE, TIME, TURNS_BETWEEN_LOOKS, clock, enter, next_turn, why_left
from emu.native.functions import callback, njit, shared
from emu.native.records import i64, u64

__all__ = ["GOAL", "at_breakpoint", "note", "note_trap", "run", "show", "took_trap"]

GOAL = 6  # why the loop returned, in addition to the reasons of `turns`


@njit
def is_before(history: History, cpu: Cpu, place: u64, late: u64, moment: Moment) -> bool:
    """Whether what a CPU does now comes before a moment."""
    if history.turns != moment.turn:
        return history.turns < moment.turn
    if cpu.instructions != moment.instructions:
        return cpu.instructions < moment.instructions
    if place != moment.place:
        return place < moment.place
    return late < moment.late


@njit
def is_at(history: History, cpu: Cpu, place: u64, late: u64, moment: Moment) -> bool:
    same = history.turns == moment.turn and cpu.instructions == moment.instructions
    return same and place == moment.place and late == moment.late


@njit
def note(cpu: Cpu, history: History, watch: Watch, place: u64, late: u64, address: u64, write: bool) -> None:
    """Notes that a CPU is at a stop, and stops it unless stops are being collected."""
    if history.stop != 0 and not history.collecting:
        return
    if not is_before(history, cpu, place, late, history.before):
        return
    if is_before(history, cpu, place, late, history.after) or is_at(history, cpu, place, late, history.after):
        return
    moment = history.moment
    history.stop = watch.address
    moment.turn = history.turns
    moment.instructions = cpu.instructions
    moment.place = place
    moment.late = late
    history.stop_cpu = cpu.index
    history.stop_write = write
    history.stop_address = address
    if not history.collecting:
        stop(cpu)


@callback
def at_breakpoint(cpu: Cpu, argument: u64) -> None:
    """A CPU is about to execute an instruction with a breakpoint, the Watch at an address."""
    history = cpu.board.history
    if history is None:
        return
    if history.showing:
        return
    watch = Watch(argument)
    if watch.cpu == ANY or watch.cpu == cpu.index:
        note(cpu, history, watch, watch.first, 0, watch.first, False)


@njit
def took_trap(cpu: Cpu) -> None:
    """A CPU has taken a trap: its next block is the first one of the handler."""
    cpu.trapped_at = cpu.instructions
    history = cpu.board.history
    if history is not None and history.trap_count != 0:
        cpu.deadline = 0


@njit
def note_trap(cpu: Cpu, block: Block, address: u64) -> None:
    """A block is about to begin, and is not accounted yet: it may be the first one after a trap."""
    history = cpu.board.history
    if history is None or history.trap_count == 0 or history.showing or cpu.trapped_at != cpu.instructions:
        return
    cpu.instructions += block.instructions
    for n in range(history.watch_count, history.watch_count + history.trap_count):
        watch = Watch(history.watches[n])
        if watch.cpu == ANY or watch.cpu == cpu.index:
            note(cpu, history, watch, address, 0, address, False)
    cpu.instructions -= block.instructions


@shared
def run(board: Board, microseconds: i64) -> i64:
    """Runs turns, as `turns.run`, or to the goal. Returns the same, or GOAL."""
    stop_at = clock() + microseconds
    history = board.history
    if history is None:
        return TIME
    turns = 0
    while True:
        if not board.interrupted:
            if history.turns == history.goal_turn:
                return GOAL
            goal = history.goal_instructions  # a turn may have ended with a host call
            if goal != NOWHERE and board.cpus[history.goal_cpu].instructions > goal:
                return GOAL
            reason = next_turn(board)
            if reason != NONE:
                return reason
            history.turns += 1
        cpu = board.cpus[board.current]
        board.interrupted = False
        to_block = history.goal_block != NOWHERE
        if to_block:
            cpu.deadline = 0
            cpu.goal = history.goal_block
            cpu.goal_block = None
        error = enter(cpu)
        if to_block:
            cpu.goal = NEVER
        reason = why_left(board, cpu, error)
        if reason != NONE:
            return reason
        if to_block and cpu.goal_block is not None:
            board.interrupted = True
            return GOAL
        if history.goal_instructions != NOWHERE and board.cpus[history.goal_cpu].instructions > history.goal_instructions:
            return GOAL
        if board.wanted:
            return TIME
        turns += 1
        if turns == TURNS_BETWEEN_LOOKS:
            turns = 0
            if clock() >= stop_at:
                return TIME


@shared
def show(board: Board, cpu: Cpu, cycles: u64, instructions: u64, first: bool) -> i64:
    """Executes the next block, of one instruction as the caller has made sure, in the midst of a block that has been accounted.

    `first`: whether it is the first instruction of that block. Returns Unicorn's error; 0: none.
    """
    history = board.history
    if history is None:
        return 0
    history.showing = True
    cpu.shown = True
    cpu.shows_first = first
    cpu.cycles = cycles
    cpu.instructions = instructions
    cpu.request = STOP_REQUEST
    cpu.deadline = 0
    end = cpu.turn_end
    cpu.turn_end = NEVER
    error = enter(cpu)
    cpu.turn_end = end
    cpu.request = NO_REQUEST
    cpu.shown = cpu.shows_first = False
    cpu.cycles = cycles
    cpu.instructions = instructions
    history.showing = False
    return error
