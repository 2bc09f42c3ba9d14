# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns: the CPU whose clock is furthest behind runs next, until it is a quantum ahead of the second."""

from __future__ import annotations

from emu.cpu.native.cpu_records import HALTED, NEVER, NO_REQUEST, RUNNING, STOP_REQUEST, STOPPED, Board, Cpu, Uc
from emu.cpu.native.heap import CONTROL
from emu.cpu.native.heap_record import Control
from emu.cpu.native.interrupts import after_smi, look_around, next_event
from emu.native.functions import external, njit, shared
from emu.native.records import i32, i64, u64

# The reasons why the loop returned.
TIME, IDLE, REQUEST, FAULT, LIMIT = 0, 1, 2, 3, 4
NONE = 5  # there is none

_emu_start = external("uc_emu_start", i32, Uc, u64, u64, u64, u64)
clock = external("clock", i64)  # microseconds of processor time
TURNS_BETWEEN_LOOKS = 32  # at the clock


@njit
def _random(board: Board) -> u64:
    """The next word of the board's generator (xorshift64)."""
    x = board.random
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    board.random = x
    return x


@shared
def ready_at(cpu: Cpu) -> u64:
    """The time from which on a CPU can execute, in cycles; NEVER if nothing will wake it."""
    status = cpu.status
    if status == RUNNING:
        return cpu.cycles
    if status == HALTED:
        return next_event(cpu)
    if status == STOPPED:
        return cpu.cycles if cpu.nmi else max(cpu.nmi_arrival, cpu.cycles)
    return NEVER


@shared
def begin_turn(board: Board, cpu: Cpu, now: u64, others: u64) -> None:
    """Prepares the turn of a CPU that can run at time `now`. `others`: when the first other CPU can run, or NEVER."""
    if cpu.status == HALTED:
        cpu.slept += now - cpu.cycles
    now = after_smi(cpu, now)
    cpu.status = RUNNING
    cpu.cycles = now
    end = now + board.longest_turn
    if others != NEVER:
        quantum, pace = board.quantum, board.pace
        if pace != 0:  # CPUs have just contended for a line: turns are short, and grow again
            board.pace = pace + (pace >> 1) if pace < quantum else 0
            quantum = min(quantum, pace)
        end = min(end, others + quantum - _random(board) % (quantum // 4 + 1))
    cpu.turn_end = max(end, now + 1)
    look_around(cpu)
    cpu.deadline = 0
    board.current = cpu.index
    board.interrupted = False


@shared
def enter(cpu: Cpu) -> i32:
    """Executes a CPU's turn. Returns Unicorn's error; 0: none.

    Starting Unicorn sets only the program counter, so the next one is kept in `resume` for the architecture's trap unit,
    which Unicorn calls before the first block.
    """
    board, control = cpu.board, Control(CONTROL)
    cpu.flushed = False
    cpu.resume = cpu.next_location[0]
    control.heap = board.heap
    error = _emu_start(cpu.uc, cpu.location[0], 0, 0, 0)
    control.heap = None
    settle = board.settle
    if settle is not None:
        settle(cpu, 0)
    return error


@njit
def next_turn(board: Board) -> u64:
    """Begins the turn of the CPU that is furthest behind. Returns NONE; or IDLE or LIMIT if no turn can begin."""
    best = second = NEVER
    cpu = board.cpus[0]
    for n in range(board.cpu_count):
        candidate = board.cpus[n]
        ready = ready_at(candidate)
        if ready < best:
            best, second, cpu = ready, best, candidate
        elif ready < second:
            second = ready
    if best == NEVER:
        return IDLE
    if best >= board.limit:
        return LIMIT
    begin_turn(board, cpu, best, second)
    return NONE


@njit
def why_left(board: Board, cpu: Cpu, error: i64) -> i64:
    """After a turn: the reason why Python must act, as run() returns it. `error`: Unicorn's."""
    if error != 0:
        return FAULT | error << 8
    if cpu.request != NO_REQUEST:
        board.interrupted = cpu.request == STOP_REQUEST and cpu.status == RUNNING and cpu.cycles < cpu.turn_end
        return REQUEST
    return NONE


@shared
def run(board: Board, microseconds: i64) -> i64:
    """Runs turns until Python must act, another thread wants it to, or about `microseconds` of host time have passed.

    A turn that was stopped for Python goes on first: what Python does, and how often, does not show in the order of turns.

    Returns a pair in one word: reason | error << 8; the CPU concerned is the board's `current`.
    """
    stop_at = clock() + microseconds
    turns = 0
    while True:
        if not board.interrupted:
            reason = next_turn(board)
            if reason != NONE:
                return reason
        cpu = board.cpus[board.current]
        board.interrupted = False
        reason = why_left(board, cpu, enter(cpu))
        if reason != NONE:
            return reason
        if board.wanted:
            return TIME
        turns += 1
        if turns == TURNS_BETWEEN_LOOKS:
            turns = 0
            if clock() >= stop_at:
                return TIME
