# SPDX-License-Identifier: GPL-2.0-only
"""A call that a return probe watches: where it returns to instead of the trampoline. Nodes are known by number, from 1 on; a task
has the number of its latest one in `task_struct.rethooks`.
"""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
NEXT = _fields.word()  # number of the task's node before this one, or of the next free one; 0: there is none
TASK = _fields.word()  # host address of the task; 0: the node is free
RETHOOK = _fields.word()  # address of the rethook_record; 0: the probe is gone
FUNCTION = _fields.word()
RETURN = _fields.word()  # what has been replaced; it may be the trampoline of function_graph or of return probes
FRAME = _fields.word()  # identifies the call, as fp of struct ftrace_ret_stack does
WORDS = _fields.count
SIZE = np.uint64(8 * WORDS)
