# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of all return probes (native.rethook_node)."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import rethook_node
from emu.native.record import Fields

MOST = 1 << 16  # nodes

_fields = Fields()
FREE = _fields.word()  # number of a node that has been used and is free; 0: there is none
USED = _fields.word()  # the highest number that a node has had
OF_GUEST = _fields.word()  # address of the rethook_record of all calls that the guest itself watches
NODES = _fields.words(MOST * rethook_node.WORDS)  # number 1 is the first
WORDS = _fields.count
LAST = np.uint64(MOST)
