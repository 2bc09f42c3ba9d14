# SPDX-License-Identifier: GPL-2.0-only
"""The stages in which entries of made events are put together, one inside the other (`native.stages`). One for the machine."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

STAGE_SIZE = 4096  # bytes, more than any entry has
STAGES = 4  # as many events can be under way at once, each made by what the one before makes happen

_fields = Fields()
MEMORY = _fields.word()  # address of STAGES times STAGE_SIZE bytes
DEPTH = _fields.word()  # how many are in use
DROPPED = _fields.word()  # how many events found none
PUT = _fields.word()  # address of void (*)(cpu, stages), which gives the entry below to the arrays
EVENT = _fields.word()  # address of its event_record
FILE = _fields.word()  # address of the event_file that alone gets it; 0: all arrays that want it do
ENTRY = _fields.word()  # where it is staged
SIZE = _fields.word()  # bytes, a multiple of four
WORDS = _fields.count

SIZE_OF_STAGE, MOST = np.uint64(STAGE_SIZE), np.uint64(STAGES)
