# SPDX-License-Identifier: GPL-2.0-only
"""A CPU's record: what native code and Python share of one CPU, as byte offsets of 64-bit words.

Native code gets the record's address through hooks' user pointers and CPUState.opaque.
"""

from __future__ import annotations

import numpy as np

VECTORS = 256
NEVER = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # a time that does not come

UC = np.uint64(0)  # struct uc_struct *
CPU = np.uint64(8)  # CPUState *
ENV = np.uint64(16)  # CPUArchState *
BOARD = np.uint64(24)  # the board's record
INDEX = np.uint64(32)
STATUS = np.uint64(40)
CYCLES = np.uint64(48)
DEADLINE = np.uint64(56)  # the block hook looks around when CYCLES reaches it
TURN_END = np.uint64(64)
TIMER = np.uint64(72)  # the local timer's deadline
ARRIVAL = np.uint64(80)  # the earliest of ARRIVALS
REQUEST = np.uint64(88)  # why Python must act before the CPU goes on
HOST_CALL = np.uint64(96)  # its number, while one is being answered
STEPPING = np.uint64(104)  # 1 while exact stepping
STEPS = np.uint64(112)  # blocks that may still begin then
BLOCKS = np.uint64(120)  # blocks begun
INSTRUCTIONS = np.uint64(128)  # instructions in them
PENDING_COUNT = np.uint64(136)
NMI = np.uint64(144)  # 1: pending
LOCATION = np.uint64(152)  # address of env's program counter
TAKEN = np.uint64(160)  # interrupts delivered
ARGUMENTS = np.uint64(168)  # four words: a host call's arguments
RESULT = np.uint64(200)
PENDING = np.uint64(208)  # four words: a bit per vector
CALLOUT = np.uint64(240)  # free for the layer above: its own record of this CPU
ARRIVALS = np.uint64(256)  # a word per vector: when it becomes pending, or NEVER
NEXT_LOCATION = np.uint64(2304)  # address of env's next program counter, or LOCATION again
RESUME = np.uint64(2312)  # what it held when the turn began; 0 once the architecture has put it back
BLOCK = np.uint64(2320)  # virtual address of the block whose cost is asked for
NMI_TIMER = np.uint64(2328)  # the watchdog timer's deadline: then an NMI is pending
WORDS = 32 + VECTORS + 4

# STATUS
OFF, RUNNING, HALTED, STOPPED = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)  # STOPPED: halted, interrupts off

# REQUEST
NO_REQUEST, HOST_CALL_REQUEST, STOP_REQUEST = np.uint64(0), np.uint64(1), np.uint64(2)
