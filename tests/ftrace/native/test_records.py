# SPDX-License-Identifier: GPL-2.0-only
"""Native records have the same layout as other declarations of the same memory."""

from __future__ import annotations

import numpy as np
import pytest

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.cpu.native.arch.x86_64_env import Registers
from emu.ftrace.buffers import entries
from emu.ftrace.native.function_entries import CallEntry, FunctionEntry, ReturnEntry, ValuedCallEntry, ValuedReturnEntry
from emu.ftrace.native.function_repeats import RepeatsEntry
from emu.ftrace.native.stacks import StackEntry
from emu.ftrace.native.user_stack import UserStackEntry
from emu.ftrace.native.wakeup import SwitchEntry
from emu.native.records import HOST, Record


@pytest.mark.parametrize(
    ("record", "entry"),
    [
        (FunctionEntry, entries.FUNCTION), (CallEntry, entries.FUNCGRAPH_ENTRY), (ReturnEntry, entries.FUNCGRAPH_EXIT),
        (RepeatsEntry, entries.FUNC_REPEATS), (StackEntry, entries.KERNEL_STACK), (UserStackEntry, entries.USER_STACK),
        (SwitchEntry, entries.TASK_SWITCH), (ValuedCallEntry, entries.VALUED_ENTRY), (ValuedReturnEntry, entries.VALUED_EXIT),
    ],
)  # fmt: skip
def test_entries_are_those_that_python_reads(record: type[Record], entry: np.dtype[np.void]) -> None:
    assert entry.fields is not None
    of_all = set(entries.ENTRY.names or ())
    read = [(name, int(offset), kind.itemsize) for name, (kind, offset, *_) in entry.fields.items() if name not in of_all]
    common, *fields = HOST.fields(record).items()
    assert (common[0], common[1].size) == ("common", entries.ENTRY.itemsize)
    written = [(name, field.offset, field.size) for name, field in fields if field.offset < entry.itemsize]
    assert written == read


def test_general_registers_are_in_unicorn_s_order() -> None:
    assert tuple(HOST.fields(Registers)) == GENERAL_REGISTERS
