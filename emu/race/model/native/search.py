# SPDX-License-Identifier: GPL-2.0-only
"""The search of emu.race.model.search, compiled: a state is one word, and the states seen are an open-addressing table.

A word is, from its highest bit: the patcher's position plus one, and the number of each CPU's state, the lowest first.
"""

from __future__ import annotations

import numpy as np

from emu.native import njit

__all__ = ["COUNTS", "END", "HEAD", "LAST", "MOVES", "PAUSED", "ROOM", "TAIL", "WRONG", "rehash", "run"]

END, WRONG, ROOM, PAUSED = range(4)  # why a search returns: all is seen; at something wrong; for more room; for a look around
COUNTS = 5
HEAD, TAIL, MOVES, LAST, _READ = range(COUNTS)  # of `counts`: states expanded, states seen, moves, the first at the last position

_WRONG, _NOT_ALLOWED = -1, -2  # of emu.race.model.tables
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing: 2**64 over the golden ratio


@njit
def _insert(table, shift, word):
    """Adds a word to a table; False: it is there."""
    mask = np.uint64(table.shape[0] - 1)
    at = (word * _GOLDEN) >> shift
    while table[at] != 0:
        if table[at] == word:
            return False
        at = (at + np.uint64(1)) & mask
    table[at] = word
    return True


@njit
def rehash(table, shift, queue, count):
    """Fills an empty table with the words of a queue."""
    for number in range(count):
        _insert(table, shift, queue[number])


@njit
def _word(position, numbers, bits):
    """The word of a state; puts its numbers in order."""
    for high in range(1, numbers.shape[0]):
        number, low = numbers[high], high - 1
        while low >= 0 and numbers[low] > number:
            numbers[low + 1] = numbers[low]
            low -= 1
        numbers[low + 1] = number
    word = np.uint64(position + 1)
    for number in numbers:
        word = (word << bits) | np.uint64(number)
    return word


@njit
def _word_with(position, numbers, cpu, number, bits):
    """The word of the state in which one CPU of a state has another number. The numbers are in order."""
    word = np.uint64(position + 1)
    placed = False
    for other in range(numbers.shape[0]):
        if other != cpu:
            if not placed and number <= numbers[other]:
                word = (word << bits) | np.uint64(number)
                placed = True
            word = (word << bits) | np.uint64(numbers[other])
    return word if placed else (word << bits) | np.uint64(number)


@njit
def run(rows, first, targets, advance, bits, numbers, table, shift, queue, parents, counts, most, most_states):
    """Goes on with a search, until one of the reasons to return.

    Args:
        rows: of each position: its first row; and how many rows there are.
        first: of each row: its first move; and how many moves there are.
        targets: of each move: where it leads.
        advance: of each row: where the patcher's next event leads.
        bits: of a CPU's state in a word.
        numbers: room for two numbers for each CPU.
        table: the states seen; its size is a power of two, at least twice the queue's.
        shift: 64 less the power.
        queue: the states seen, in order.
        parents: of each: the number of the state that it was reached from.
        counts: HEAD, TAIL, MOVES, LAST go on from call to call.
        most: how many states to expand.
        most_states: at how many states to pause.
    """
    here, there = numbers[0], numbers[1]
    cpus = here.shape[0]
    end = rows.shape[0] - 2
    mask = (np.uint64(1) << bits) - np.uint64(1)
    head, tail, moves = counts[0], counts[1], counts[2]
    why = END
    while head < tail:
        if most == 0 or tail >= most_states:
            why = PAUSED
            break
        most -= 1
        word = queue[head]
        for cpu in range(cpus - 1, -1, -1):
            here[cpu] = np.int64(word & mask)
            word >>= bits
        position = np.int64(word) - 1
        base = rows[position]
        follow = 1
        for cpu in range(cpus):
            follow += first[base + here[cpu] + 1] - first[base + here[cpu]]
        if tail + follow > queue.shape[0]:
            why = ROOM
            break
        if position == end and counts[3] < 0:
            counts[3] = head
        wrong = False
        allowed = True
        for cpu in range(cpus):
            there[cpu] = advance[base + here[cpu]]
            allowed &= there[cpu] != _NOT_ALLOWED
            wrong |= there[cpu] == _WRONG
        found = tail
        if allowed:
            moves += 1
            if not wrong:
                queue[found] = _word(position + 1, there, bits)
                found += 1
        wrong &= allowed
        for cpu in range(cpus):
            if wrong:
                break
            if cpu > 0 and here[cpu] == here[cpu - 1]:
                continue
            row = base + here[cpu]
            for move in range(first[row], first[row + 1]):
                moves += 1
                if targets[move] == _WRONG:
                    wrong = True
                    break
                queue[found] = _word_with(position, here, cpu, targets[move], bits)
                found += 1
        read = np.uint64(0)  # the table is much larger than the caches: all its places are read at once, not one after another
        for number in range(tail, found):
            read |= table[(queue[number] * _GOLDEN) >> shift]
        counts[4] = np.int64(read)
        for number in range(tail, found):
            word = queue[number]
            if _insert(table, shift, word):
                queue[tail] = word
                parents[tail] = head
                tail += 1
        if wrong:
            why = WRONG
            break
        head += 1
    counts[0], counts[1], counts[2] = head, tail, moves
    return why
