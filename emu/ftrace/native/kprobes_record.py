# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of all kprobes of a machine."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
TABLE = _fields.word()  # address of a table of the instructions that breakpoints stand for (native.probes): kprobe_records
SAVED_OFFSETS = _fields.word()  # address of words: where struct pt_regs has the registers that probes see
FILL_AT_BREAKPOINT = _fields.word()  # address of void (*)(cpu, event_context), which stores them where REGISTERS says
FILL_AT_SITE = _fields.word()  # the same at a call site, for the registers before the function's first instruction
WRITE_AT_SITE = _fields.word()  # address of void (*)(cpu, event_context), which has the CPU go on with them
WORDS = _fields.count
