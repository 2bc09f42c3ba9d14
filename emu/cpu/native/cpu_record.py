# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's record: what native code and Python share of one CPU.

Native code gets the record's address through hooks' user pointers and CPUState.opaque.
"""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

VECTORS = 256
ARGUMENT_COUNT = 4
HOOK_ARGUMENT_COUNT = 4
TRANSLATION_BUFFER = 32 << 20  # bytes of translated code a CPU may hold
BLOCK_COUNT = TRANSLATION_BUFFER // 128  # a TranslationBlock alone takes more bytes than that
NEVER = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # a time that does not come

_fields = Fields()
UC = _fields.word()  # struct uc_struct *
CPU = _fields.word()  # CPUState *
ENV = _fields.word()  # CPUArchState *
BOARD = _fields.word()  # the board's record
INDEX = _fields.word()
STATUS = _fields.word()
CYCLES = _fields.word()
DEADLINE = _fields.word()  # the block hook looks around when CYCLES reaches it
TURN_END = _fields.word()
TIMER = _fields.word()  # the local timer's deadline
ARRIVAL = _fields.word()  # the earliest of ARRIVALS
REQUEST = _fields.word()  # why Python must act before the CPU goes on
HOST_CALL = _fields.word()  # the number of the host call that Python answers
STEPPING = _fields.word()  # 1 while exact stepping
STEPS = _fields.word()  # blocks that may still begin while exact stepping
INSTRUCTIONS = _fields.word()  # instructions in the blocks that have begun
PENDING_COUNT = _fields.word()
NMI = _fields.word()  # 1: pending
LOCATION = _fields.word()  # address of env's program counter
TAKEN = _fields.word()  # interrupts delivered
ARGUMENTS = _fields.words(ARGUMENT_COUNT)  # the arguments of a host call
RESULT = _fields.word()
PENDING = _fields.words(VECTORS // 64)  # a bit per vector
CALLOUT = _fields.word()  # free for the layer above: its own record of this CPU
ARRIVALS = _fields.words(VECTORS)  # a word per vector: when it becomes pending, or NEVER
NEXT_LOCATION = _fields.word()  # address of env's next program counter, or LOCATION again
RESUME = _fields.word()  # the next program counter when the turn began; 0 once the architecture has restored it
NMI_TIMER = _fields.word()  # the watchdog timer's deadline: then an NMI is pending
SMI_NEXT = _fields.word()  # when the next system management interrupt is due, or NEVER
SMI_PERIOD = _fields.word()  # cycles from one to the next
SMI_LENGTH = _fields.word()  # cycles that each takes
BLOCK = _fields.word()  # virtual address of the block that is being translated, or whose cost is asked for
BLOCK_CYCLES = _fields.word()  # Python's answer: what it costs
BLOCK_INSTRUCTIONS = _fields.word()  # and how many instructions it has
STRING = _fields.word()  # virtual address of the string instruction that was repeated last
STRING_BEGUN = _fields.word()  # INSTRUCTIONS then
TIMING = _fields.word()  # the CPU's record of a timing model with state; 0: the board has none
TRAP_TIME = _fields.word()  # parts of a cycle that such a model gives a trap
BLOCK_HOOK = _fields.word()  # what translated blocks call, as `translator` says
BLOCK_SUMMARY = _fields.word()  # beside BLOCK_CYCLES
SLEPT = _fields.word()  # how many of CYCLES it has been halted
CYCLE_COUNTER = _fields.word()  # address of a register that follows CYCLES; 0: there is none
TRANSLATOR = _fields.word()  # the architecture's translator record
TRANSLATED = _fields.word()  # offset from here of the record of the block whose translation begins; 0: it has begun
HOOK_ARGUMENTS = _fields.words(HOOK_ARGUMENT_COUNT)  # of the call that is being emitted
FIRST_TB = _fields.word()  # the first TranslationBlock in the buffer
BLOCKS_USED = _fields.word()
BLOCKS = _fields.words(4 * BLOCK_COUNT)  # a block_record for each block in the buffer
WORDS = _fields.count

# STATUS
OFF, RUNNING, HALTED = np.uint64(0), np.uint64(1), np.uint64(2)
STOPPED = np.uint64(3)  # halted with interrupts off

# REQUEST
NO_REQUEST, HOST_CALL_REQUEST, STOP_REQUEST = np.uint64(0), np.uint64(1), np.uint64(2)
