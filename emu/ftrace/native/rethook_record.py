# SPDX-License-Identifier: GPL-2.0-only
"""A return probe: what happens when calls of its function return."""

from __future__ import annotations

from emu.native.record import Fields

_fields = Fields()
LEFT = _fields.word()  # how many more calls may be under way at once
CONSUMER = _fields.word()  # address of what acts when a call returns (native.consumer)
WORDS = _fields.count
