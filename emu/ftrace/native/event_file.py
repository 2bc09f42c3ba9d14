# SPDX-License-Identifier: GPL-2.0-only
"""What one trace array wants of one event, for native code. Linux: struct trace_event_file."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
NEXT = _fields.word()  # address of the next array's file of this event; 0: there is none
CPUS = _fields.word()  # address of a word for each CPU: its array_cpu_record of the array
FLAGS = _fields.word()  # entries are recorded if these are ENABLED and nothing else
HANDLER = _fields.word()  # 0: what FILTER keeps is recorded; else address of void (*)(cpu, file), which does all instead
FILTER = _fields.word()  # address of a filter's program; 0: every entry passes
CONSUMERS = _fields.word()  # address of the first consumer; 0: there is none
TRIGGER_COND = _fields.word()  # 1: consumers act when the entry has its place in the ring buffer, not before it is recorded
RECORD_FIRST = _fields.word()  # 1: what they do cannot change whether it is recorded; events that they make come after it
WORDS = _fields.count

ENABLED = np.uint64(1)
SOFT_DISABLED = np.uint64(2)  # the event's key is on, but its entries are not recorded
