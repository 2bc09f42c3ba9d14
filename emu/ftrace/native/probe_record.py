# SPDX-License-Identifier: GPL-2.0-only
"""One probe of an event, for native code: the TARGET of its consumer."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
EVENT = _fields.word()  # address of the event_record of what it makes
FILE = _fields.word()  # address of the event_file that alone gets the entries; 0: all arrays that want the event do
PROGRAM = _fields.word()  # address of a program that fetches the arguments (native.fetch)
SIZE = _fields.word()  # bytes of an entry, without what strings append
USES_REGISTERS = _fields.word()  # 1: the program looks at registers
HITS = _fields.word()
CALLBACK = _fields.word()  # of the host's own probes: address of void (*)(cpu, probe), which is told of each hit
ENTRY = _fields.word()  # ... and address of the entry with the arguments, while it is told
WORDS = _fields.count
