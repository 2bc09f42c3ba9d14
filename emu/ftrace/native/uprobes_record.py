# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of the probes in programs. There is one such record."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
CONSUMERS = _fields.word()  # address of a word for each probe, by number: the address of its consumer; 0: there is none
COUNT = _fields.word()  # of these words
SAVED_OFFSETS = _fields.word()  # address of words: where the registers are in struct pt_regs, if that says all
FILL = _fields.word()  # address of void (*)(cpu, event_context), which stores a program's registers
WORDS = _fields.count
