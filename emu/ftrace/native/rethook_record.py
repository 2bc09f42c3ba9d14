# SPDX-License-Identifier: GPL-2.0-only
"""A return probe. It begins as the consumer that acts at the entry of the function (native.consumer)."""

from __future__ import annotations

from emu.ftrace.native import consumer
from emu.native.record import Fields

_fields = Fields()
_fields.words(consumer.WORDS)
LEFT = _fields.word()  # how many more calls may be under way at once
CONSUMER = _fields.word()  # address of what acts when a call returns; 0: nothing does any more
WORDS = _fields.count
