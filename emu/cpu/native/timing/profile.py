# SPDX-License-Identifier: GPL-2.0-only
"""Counting by function: what a CPU counts until it comes to another function belongs to the one before.

Each function of the kernel's image has a row of counts. A program has one for all its code, which is found by the name of
its task; so has each block of other code (of modules, and of what tracing has written), found by its address.
"""

from __future__ import annotations

import numpy as np
from numba import types

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.timing import record
from emu.native import cfunc, njit
from emu.native.pointers import load_u64, store_u64
from emu.native.record import Fields

COUNTED = len(record.COUNTERS)
ROW_WORDS = COUNTED + 2
CYCLES, INSTRUCTIONS = np.uint64(COUNTED * 8), np.uint64(COUNTED * 8 + 8)  # in a row, behind the counters

# The profile's record
_fields = Fields()
STARTS = _fields.word()  # a table of the addresses at which the image's functions begin, ascending
FUNCTIONS = _fields.word()  # how many there are; their rows come first
END = _fields.word()  # where the last of them ends
ROWS = _fields.word()  # the table of rows
KEYS = _fields.word()  # a hash table of keys, two words each: the second is 0 if none is there. Each has a row
KEY_MASK = _fields.word()  # one less than the keys that there is room for: a power of two
KEYS_USED = _fields.word()
CPUS = _fields.word()  # a table of the CPUs' records
USER_END = _fields.word()  # the kernel's addresses begin here
DIRECT_START = _fields.word()  # a virtual address that maps physical 0
RAM = _fields.word()  # its host address
RAM_SIZE = _fields.word()
CURRENT_TASK = _fields.word()  # offset in struct pcpu_hot
COMM = _fields.word()  # offset in struct task_struct
WORDS = _fields.count

# A CPU's record
_fields = Fields()
ROW = _fields.word()  # of the function that it executes
LOW = _fields.word()  # where that begins
SIZE = _fields.word()  # and its size; 0: it is not known what the CPU executes
HOT = _fields.word()  # host address of its struct pcpu_hot
BASE = _fields.words(ROW_WORDS)  # what it had counted when it came to that function
CPU_WORDS = _fields.count

OF_AN_ADDRESS = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # the second word of an address's key
OF_A_NAME = np.uint64(1 << 56)  # a bit of the last byte of a name, which is 0
ZERO, ONE, WORD, KEY_SIZE = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(16)
FULL_SHIFT = np.uint64(2)
MIX, MIX_SHIFT = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(40)
ROW_SIZE, CPU_SIZE = np.uint64(ROW_WORDS * 8), np.uint64(CPU_WORDS * 8)
_HANDLER = types.void(types.uint64, types.uint64)


@njit
def cpu_entry(cpu, profile):
    """The profile's record of a CPU."""
    return load_u64(profile + CPUS) + load_u64(cpu + cpu_record.INDEX) * CPU_SIZE


@njit
def add(row, own, offset, now):
    """Adds to a row what one counter has counted since the CPU came to its function."""
    base = own + BASE + offset
    store_u64(row + offset, load_u64(row + offset) + now - load_u64(base))
    store_u64(base, now)


@njit
def account(cpu, own):
    """Adds what the CPU has counted to the row of the function that it executes."""
    row, counts = load_u64(own + ROW), load_u64(cpu + cpu_record.TIMING) + record.COUNTS
    for n in range(COUNTED):
        offset = np.uint64(n) * WORD
        add(row, own, offset, load_u64(counts + offset))
    add(row, own, CYCLES, load_u64(cpu + cpu_record.CYCLES) - load_u64(cpu + cpu_record.SLEPT))
    add(row, own, INSTRUCTIONS, load_u64(cpu + cpu_record.INSTRUCTIONS))


@njit
def row_of_key(profile, first, second):
    """The row of what is no function of the image. What there is no room for shares the row behind all others."""
    mask, keys = load_u64(profile + KEY_MASK), load_u64(profile + KEYS)
    functions = load_u64(profile + FUNCTIONS)
    slot = ((first ^ second) * MIX >> MIX_SHIFT) & mask
    while True:
        place = keys + slot * KEY_SIZE
        known = load_u64(place + WORD)
        if known == ZERO:
            used = load_u64(profile + KEYS_USED)
            if used >= mask - (mask >> FULL_SHIFT):
                slot = mask + ONE
                break
            store_u64(profile + KEYS_USED, used + ONE)
            store_u64(place, first)
            store_u64(place + WORD, second)
            break
        if known == second and load_u64(place) == first:
            break
        slot = slot + ONE & mask
    return load_u64(profile + ROWS) + (functions + slot) * ROW_SIZE


@njit
def move_to(own, row, low, size):
    """The CPU executes another function from now on."""
    store_u64(own + ROW, row)
    store_u64(own + LOW, low)
    store_u64(own + SIZE, size)


@njit
def move_to_program(profile, own):
    """The CPU executes a program: until it comes back to the kernel, that does not change, nor does its name."""
    first = second = ZERO
    task = load_u64(load_u64(own + HOT) + load_u64(profile + CURRENT_TASK))
    physical = task - load_u64(profile + DIRECT_START)
    if physical < load_u64(profile + RAM_SIZE):
        comm = load_u64(profile + RAM) + physical + load_u64(profile + COMM)
        first, second = load_u64(comm), load_u64(comm + WORD)
    move_to(own, row_of_key(profile, first, second | OF_A_NAME), ZERO, load_u64(profile + USER_END))


@njit
def move_in_image(profile, own, address):
    """The CPU executes a function of the image."""
    starts, low, high = load_u64(profile + STARTS), ZERO, load_u64(profile + FUNCTIONS)
    end = load_u64(profile + END)
    while high - low > ONE:
        middle = low + high >> ONE
        start = load_u64(starts + middle * WORD)
        if start <= address:
            low = middle
        else:
            high, end = middle, start
    begin = load_u64(starts + low * WORD)
    move_to(own, load_u64(profile + ROWS) + low * ROW_SIZE, begin, end - begin)


@cfunc(_HANDLER)
def block_begins(cpu, address):
    """The board's PROFILE."""
    profile = load_u64(load_u64(cpu + cpu_record.BOARD) + board_record.PROFILE_RECORD)
    own = cpu_entry(cpu, profile)
    if address - load_u64(own + LOW) < load_u64(own + SIZE):
        return
    account(cpu, own)
    if address < load_u64(profile + USER_END):
        move_to_program(profile, own)
    elif load_u64(load_u64(profile + STARTS)) <= address < load_u64(profile + END):
        move_in_image(profile, own, address)
    else:
        move_to(own, row_of_key(profile, address, OF_AN_ADDRESS), address, ONE)


@cfunc(_HANDLER)
def account_now(cpu, profile):
    """What the CPU has counted so far is in the rows."""
    account(cpu, cpu_entry(cpu, profile))
