# SPDX-License-Identifier: GPL-2.0-only
"""The board's record: what its CPUs and Python share, as byte offsets of 64-bit words."""

from __future__ import annotations

import numpy as np

RAM = np.uint64(0)  # host address of physical address 0
RAM_SIZE = np.uint64(8)
COSTS = np.uint64(16)  # two words per byte of RAM: what blocks that begin there cost (see block_cost)
DECODE = np.uint64(24)  # void (*)(cpu record, RAM address << 16 | size): fills in an entry of COSTS
CPUS = np.uint64(32)  # a table of the CPU records' addresses
CPU_COUNT = np.uint64(40)
DISPATCH_START = np.uint64(48)  # virtual addresses: blocks that begin here may have a host function
DISPATCH_END = np.uint64(56)
DISPATCH = np.uint64(64)  # void (*)(cpu record, address) per byte of that range, or 0
HOST_CALLS = np.uint64(72)  # void (*)(cpu record, number) per host call, or 0: Python answers
QUANTUM = np.uint64(80)
RANDOM = np.uint64(88)  # state of the generator that varies the length of turns
TIMER_VECTOR = np.uint64(96)
CURRENT = np.uint64(104)  # index of the CPU whose turn it is
LONGEST_TURN = np.uint64(112)  # cycles, when nothing else ends it
KERNEL_START = np.uint64(120)  # virtual address that maps physical address 0 for the kernel's text
LIMIT = np.uint64(128)  # cycles: no turn begins at or after this time
VECTOR_START = np.uint64(136)  # the vectors that the architecture can deliver
VECTOR_END = np.uint64(144)
WORDS = 32

HOST_CALL_COUNT = 64
