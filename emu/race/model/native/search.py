# SPDX-License-Identifier: GPL-2.0-only
"""The search of emu.race.model.search, compiled: a state is one word, and the seen states are in an open-addressing hash table.

A word has, from its highest bit on: the patcher's position plus one, and the number of each CPU's state, lowest first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import i64, u64

__all__ = [
    "COUNTS", "HEAD", "LAST", "MOVES", "NOT_ALLOWED", "TAIL", "WRONG", "Moves", "Seen", "Stop", "refill", "run",
]  # fmt: skip

Numbers = NDArray[np.int64]

WRONG, NOT_ALLOWED = -1, -2  # targets of moves that are not numbers of states
COUNTS = 5
HEAD, TAIL, MOVES, LAST, _READ = range(COUNTS)  # of `counts`: states expanded, states seen, moves, the first at a last position
_GOLDEN = u64(0x9E3779B97F4A7C15)  # multiplicative hashing (Knuth, volume 3, 6.4): 2**64 over the golden ratio


class Stop:
    """The reasons why a search returns."""

    END = 0  # all states have been expanded
    WRONG = 1  # something wrong can follow the state at HEAD
    ROOM = 2  # the seen states need more room
    PAUSE = 3  # the requested number of states has been expanded or seen


_END, _WRONG, _ROOM, _PAUSE = Stop.END, Stop.WRONG, Stop.ROOM, Stop.PAUSE


class Moves(NamedTuple):
    """The CPUs' moves as arrays. A row is a CPU state at one position of the patcher.

    Attributes:
        rows: of each position: its first row; and the total number of rows.
        first: of each row: its first move; and the total number of moves.
        targets: of each move: the number of the next state, or WRONG.
        steps: of each position: the patcher's first step; and the total number of steps.
        to: of each step: the position afterwards.
        advance: of each row, for each step of its position: the number of the state afterwards, or WRONG, or NOT_ALLOWED.
        advances: of each position: the first of these; and their total number.
        last: of each position: 1 if nothing can follow, 0 otherwise.
    """

    rows: Numbers
    first: Numbers
    targets: Numbers
    steps: Numbers
    to: Numbers
    advance: Numbers
    advances: Numbers
    last: Numbers


class Seen(NamedTuple):
    """The seen states.

    Attributes:
        queue: their words, in order.
        parents: of each: the state from which it was reached.
        table: a hash table of their words; its size is a power of two, twice the queue's.
        shift: 64 minus that power.
    """

    queue: NDArray[np.uint64]
    parents: NDArray[np.uint32]
    table: NDArray[np.uint64]
    shift: int


@specialized
def _insert(seen: Seen, word: u64) -> bool:
    """Adds a word to the table. Returns False if it is there already."""
    mask = u64(seen.table.shape[0] - 1)
    at = (word * _GOLDEN) >> seen.shift
    while seen.table[at] != 0:
        if seen.table[at] == word:
            return False
        at = (at + u64(1)) & mask
    seen.table[at] = word
    return True


@specialized
def refill(seen: Seen, count: int) -> None:
    """Fills an empty table with the first words of the queue."""
    for number in range(count):
        _insert(seen, seen.queue[number])


@specialized
def _word(position: int, numbers: Numbers, bits: int) -> u64:
    """The word of a state. Sorts its numbers."""
    for high in range(1, numbers.shape[0]):
        number, low = numbers[high], high - 1
        while low >= 0 and numbers[low] > number:
            numbers[low + 1] = numbers[low]
            low -= 1
        numbers[low + 1] = number
    word = u64(position + 1)
    for number in numbers:
        word = word << bits | u64(number)
    return word


@specialized
def _word_with(position: int, numbers: Numbers, cpu: int, number: int, bits: int) -> u64:
    """The word of a state with another number for one CPU. The numbers are sorted."""
    word = u64(position + 1)
    placed = False
    for other in range(numbers.shape[0]):
        if other != cpu:
            if not placed and number <= numbers[other]:
                word = word << bits | u64(number)
                placed = True
            word = word << bits | u64(numbers[other])
    return word if placed else word << bits | u64(number)


@specialized
def _follow(
    moves: Moves, position: int, here: Numbers, there: Numbers, bits: int, queue: NDArray[np.uint64], tail: int
) -> tuple[int, int, bool]:
    """Appends the words of a state's successors to the queue.

    Returns (the queue's end, the number of moves tried, whether the last one is wrong).
    """
    cpus = here.shape[0]
    base = moves.rows[position]
    tried = 0
    first, count = moves.steps[position], moves.steps[position + 1] - moves.steps[position]
    for step in range(count):
        allowed, wrong = True, False
        for cpu in range(cpus):
            there[cpu] = moves.advance[moves.advances[position] + here[cpu] * count + step]
            allowed &= there[cpu] != NOT_ALLOWED
            wrong |= there[cpu] == WRONG
        if allowed:
            tried += 1
            if wrong:
                return tail, tried, True
            queue[tail] = _word(moves.to[first + step], there, bits)
            tail += 1
    for cpu in range(cpus):
        if cpu > 0 and here[cpu] == here[cpu - 1]:
            continue  # an identical CPU
        row = base + here[cpu]
        for move in range(moves.first[row], moves.first[row + 1]):
            tried += 1
            if moves.targets[move] == WRONG:
                return tail, tried, True
            queue[tail] = _word_with(position, here, cpu, moves.targets[move], bits)
            tail += 1
    return tail, tried, False


@specialized
def run(moves: Moves, seen: Seen, bits: int, numbers: Numbers, counts: Numbers, most: int, most_seen: int) -> int:
    """Continues a search, until there is a reason to stop.

    Args:
        moves: the CPUs' moves.
        seen: the seen states.
        bits: the size of a CPU's state in a word.
        numbers: room for two numbers per CPU.
        counts: HEAD, TAIL, MOVES and LAST continue from call to call.
        most: the number of states to expand.
        most_seen: the number of seen states at which to pause.
    """
    here, there = numbers[0], numbers[1]
    cpus = here.shape[0]
    mask = (u64(1) << bits) - u64(1)
    queue, table = seen.queue, seen.table
    head, tail, tried = counts[HEAD], counts[TAIL], counts[MOVES]
    last = head + most
    why = _END
    while head < tail:
        if head == last or tail >= most_seen:
            why = _PAUSE
            break
        word = queue[head]
        for cpu in range(cpus - 1, -1, -1):
            here[cpu] = i64(word & mask)
            word >>= bits
        position = i64(word) - 1
        follow = moves.steps[position + 1] - moves.steps[position]
        for cpu in range(cpus):
            row = moves.rows[position] + here[cpu]
            follow += moves.first[row + 1] - moves.first[row]
        if tail + follow > queue.shape[0]:
            why = _ROOM
            break
        if moves.last[position] != 0 and counts[LAST] < 0:
            counts[LAST] = head
        found, more, wrong = _follow(moves, position, here, there, bits, queue, tail)
        tried += more
        # The table is larger than the caches: its slots are read all at once, rather than one after another.
        read = u64(0)
        for number in range(tail, found):
            read |= table[(queue[number] * _GOLDEN) >> seen.shift]
        counts[_READ] = i64(read)
        for number in range(tail, found):
            word = queue[number]
            if _insert(seen, word):
                queue[tail] = word
                seen.parents[tail] = head
                tail += 1
        if wrong:
            why = _WRONG
            break
        head += 1
    counts[HEAD], counts[TAIL], counts[MOVES] = head, tail, tried
    return why
