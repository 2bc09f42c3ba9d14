# SPDX-License-Identifier: GPL-2.0-only
"""What happens now, for those who are told of it: handlers of event files and of consumers. One record is enough for the machine,
because nothing interrupts a callback.
"""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
EVENT = _fields.word()  # address of the event_record; 0: the host records the event itself
ENTRY = _fields.word()  # address of the staged entry; 0: a function was called
SIZE = _fields.word()  # bytes of the entry, a multiple of four
NEWLINE = _fields.word()  # address of a byte that becomes a newline after consumers have looked at the entry; 0: there is none
PLACE = _fields.word()  # where the CPU stands, and so where a backtrace begins
IP = _fields.word()  # of a probe: the address that is probed; when a function returns, the function's
RETURN_IP = _fields.word()  # when a probed function returns: where to
SAVED = _fields.word()  # of a probe: guest address of the struct pt_regs of a trap; 0: the registers are the CPU's
REGISTERS = _fields.word()  # address of the registers at the probe, words in the host's byte order (Probing.registers)
FILL = _fields.word()  # address of void (*)(cpu, context), which stores them there; 0: they are there
WRITTEN = _fields.word()  # 1: the registers there have been changed, and the CPU is to go on with them
GOES_ON_AT = _fields.word()  # where the CPU goes on instead of at the called function; 0: there
CALLS_FIRST = _fields.word()  # what the CPU calls before it goes on there; 0: nothing
WORDS = _fields.count

PLACE_NOWHERE = np.uint64(0)  # the guest has no part in it: there is no backtrace
PLACE_EVENT = np.uint64(1)  # at trace_event_buffer_commit
PLACE_FUNCTION = np.uint64(2)  # where a traced function calls the function tracer or function_graph
PLACE_HOST_CALL = np.uint64(3)  # in the guest's hostcall()
PLACE_REGISTERS = np.uint64(4)  # in the handler of a trap, which has SAVED the registers
PLACE_BLOCK = np.uint64(5)  # where any block begins, at IP
