# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of the stack tracer."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

DEEPEST = 499  # calls that are kept of a stack, as in Linux

_fields = Fields()
CHECK = _fields.word()  # address of void (*)(cpu, this record), called at the sites with STACK_CHECKED; 0: there are none yet
MAX_SIZE = _fields.word()  # bytes, of the deepest stack that was seen
COUNT = _fields.word()  # calls under way then
CALLS = _fields.words(2 * DEEPEST)  # of each its address, and where its function's part of the stack ends
TOP = _fields.word()  # where that stack begins, above all of them
WORDS = _fields.count

MOST = np.uint64(DEEPEST)
