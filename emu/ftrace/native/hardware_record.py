# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of the event `hardware:sample`. One record for the machine."""

from __future__ import annotations

import numpy as np

from emu.cpu.native.timing.record import MOST_COUNTERS
from emu.native.record import Fields

NAME_SIZE = 24  # bytes of a counter's name in an entry, with the zeros behind it

_fields = Fields()
EVENT = _fields.word()  # address of its event_record
NAMES = _fields.words(NAME_SIZE // 8 * MOST_COUNTERS)  # of the counters, NAME_SIZE bytes each
TOLD = _fields.words(MOST_COUNTERS)  # for CPU 0, and behind it for each other CPU: how much of each counter samples have told
WORDS = _fields.count

NAME_WORDS = NAME_SIZE // 8
OF_CPU = np.uint64(8 * MOST_COUNTERS)  # bytes of TOLD for a CPU


def words(cpus: int) -> int:
    """How many words the record has on a machine with so many CPUs."""
    return WORDS + (cpus - 1) * MOST_COUNTERS
