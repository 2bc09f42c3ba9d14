# SPDX-License-Identifier: GPL-2.0-only
"""An instruction that a breakpoint stands for: what happens there, and how the CPU goes on."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
CONSUMERS = _fields.word()  # address of the first consumer; 0: nothing happens
COPY = _fields.word()  # address of the instruction's copy; 0: native code does what the instruction does
INSTRUCTION = _fields.word()  # its bytes, at most eight, as a number in the guest's byte order
WORDS = _fields.count
