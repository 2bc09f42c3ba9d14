# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of a histogram: its map, and the program by which an event changes it.

The map has more slots than there may be elements; a key's is one of those that follow its hash. An element is an array of words:
the key, then hitcount, flags and the other sums, then what else the histogram keeps for a key.
"""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
SLOTS = _fields.word()  # address of the slots: 0, or some bits of a key's hash and above all the element's number, from 1 on
SLOT_MASK = _fields.word()  # their number, a power of two, less one
ELEMENTS = _fields.word()  # address of the elements, in the order in which their keys came
ELEMENT_SIZE = _fields.word()  # bytes
CAPACITY = _fields.word()  # elements there is room for
USED = _fields.word()  # elements there are
DROPS = _fields.word()  # events for whose keys there was no room
KEY_SIZE = _fields.word()  # bytes
COMM = _fields.word()  # offset in an element of the name of the task whose event made it; 0: it is not kept
STACK = _fields.word()  # address of void (*)(cpu, words), which stores the calls under way; 0: it is not needed
NUMBER = _fields.word()  # if only events are counted, by one number of their entries: offset << 16 | B of FIELD; 0: PROGRAM runs
LATEST = _fields.word()  # then: address of the element that was counted up last; 0: there is none
PROGRAM = _fields.word()  # address of the program (`native.hist`)
PROGRAM_END = _fields.word()
FRAME = _fields.word()  # address of the frame that the program works in: the key, then registers
FRAME_SIZE = _fields.word()  # bytes
FRAMES_END = _fields.word()  # behind the last frame. An action can make an event that comes to the same histogram again
ELEMENT = _fields.word()  # address of the key's element, for what the program calls
WORDS = _fields.count

FRAMES = 5
STACK_DEPTH = 16  # calls in a stack that is a key. Behind the last one are zeros
INDEX_BITS = 20  # of the element's number in a slot

_program = Fields()
OP = _program.word()
TO = _program.word()  # where the result goes: an offset in the frame, or in the element
A = _program.word()
B = _program.word()
STEP_WORDS = _program.count

# Operations. R: an offset in the frame, from which a word is taken.
(
    FIELD,  # TO = the number at offset A in the entry; B: its size, and SIGNED
    INSERT,  # from here on the element is that of the key, which is complete; its hitcount grows by one
    SUM,  # element's TO += R(A)
    SET,  # element's TO = R(A); the bits B of the element's flags are set
    CONSTANT,  # TO = A
    TIME,  # TO = the trace clock
    MICROSECONDS,  # TO = nanoseconds R(A), rounded to microseconds
    CPU,  # TO = the CPU's number
    STRING,  # frame's B bytes at TO = the string of the entry that A describes, as a filter's WHAT does, and zeros
    STACKTRACE,  # frame's STACK_DEPTH words at TO = the calls under way
    LOG2,  # TO = the power of two that is R(A) or the next greater
    BUCKET,  # TO = the greatest multiple of B that is at most R(A)
    ADD,  # TO = R(A) + R(B)
    SUBTRACT,
    MULTIPLY,
    DIVIDE,  # without sign; all ones if R(B) is 0
    NEGATE,  # TO = -R(A)
    COPY,  # TO = R(A)
    ADDRESS,  # TO = the address of offset A in the frame
    LOOK_UP,  # TO = the address of the key's element in the histogram at A. If it has none, nothing more happens
    READ,  # TO = the variable B of the element at address R(A). If it is not set, nothing more happens
    SET_STRING,  # element's string of ROOM of B bytes at TO = that at address R(A); the FLAGS of B are set in the element's flags
    ON_MAX,  # if R(A) is greater than the element's TO: that becomes R(A); if not, B bytes of the program are skipped
    ON_CHANGE,  # the same, if they differ
    CALL,  # void (*A)(cpu, B)
) = (np.uint64(n) for n in range(25))

SIGNED = np.uint64(1 << 8)
NUMBER_OFFSET, NUMBER_MASK = np.uint64(16), np.uint64(0xFFFF)

# B of SET_STRING
FLAGS_MASK, ROOM = np.uint64(0xFFFF), np.uint64(16)

# B of READ: the variable's offset in the element, that of the element's flags, and the variable's flag
OFFSET_MASK, FLAGS_AT, FLAG = np.uint64(0xFFFF), np.uint64(16), np.uint64(32)
ONCE = np.uint64(1 << 48)  # it is not set afterwards
BY_ADDRESS = np.uint64(1 << 49)  # it is a string: its address is wanted
