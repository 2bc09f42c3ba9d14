# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the arguments of a probe to programs for native code (`native.fetch_record`)."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, Op, Step
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.event.call import EventKind, Field
from emu.ftrace.native import fetch_record as native
from emu.ftrace.native.fetch_record import FetchStep
from emu.ftrace.native.symbol_names import SymbolNames
from emu.native.records import Bytes, Records

__all__ = ["FetchProgram"]

_WORD = 8  # bytes
_CHARACTERS = re.compile(r"\bchar\b")


class FetchProgram:
    """The program that fetches all arguments of an entry.

    Args:
        layout: the layout of the entry.
        registers: the registers of the architecture.
        symbol_names: for native code; needed if there is a `symstr`.
        file_offset: the offset of the instruction probed by a uprobe.
        fault_texts: see `NativeTracing`.

    Attributes:
        uses_registers: whether an argument reads a register.
        program: the program for native code, valid while this object exists.
    """

    def __init__(
        self,
        layout: EntryLayout,
        registers: ProbeRegisters,
        symbol_names: SymbolNames | None = None,
        file_offset: int = 0,
        *,
        fault_texts: bool = True,
    ) -> None:
        self._registers = registers
        self._symbol_names = symbol_names
        self._file_offset = file_offset
        self._user = layout.kind in (EventKind.UPROBE, EventKind.URETPROBE)
        self._faults = native.FAULT_TEXT if fault_texts and not self._user else 0
        self.uses_registers = any(
            step.op in (Op.REGISTER, Op.STACK) for argument in layout.arguments for step in argument.steps
        )
        self._steps: list[FetchStep] = []
        self._texts: list[NDArray[np.uint8]] = []
        for argument, offset in zip(layout.arguments, layout.offsets, strict=True):
            self._add_argument(argument, offset)
        self._add(native.END)
        self._words = np.concatenate([step.words for step in self._steps])
        self.program = Records[FetchStep](self._words.ctypes.data)

    def _add(self, op: int, operand: int = 0, *, flags: int = 0, size: int = 0, count: int = 0, to: int = 0) -> FetchStep:
        step = FetchStep.allocate()
        step.op, step.operand, step.flags = op, operand, flags
        step.size, step.count, step.to = size, count, to
        self._steps.append(step)
        return step

    def _add_argument(self, argument: Argument, to: int) -> None:
        """Adds the steps that fetch a value and store it in the entry at `to`."""
        *steps, last = argument.steps
        for step in steps:
            self._add_step(step)
        kind, count = argument.type, argument.count
        user = native.USER if argument.is_user else 0
        faults = self._faults
        if kind.is_string:
            if count:
                strings = native.USER_STRINGS if argument.is_user else 0
                pointers = self._space(last)
                self._add(native.STORE_STRINGS, last.value, flags=strings | pointers | faults, count=count, to=to)
            elif kind.name == "symstr":
                self._add_step(last)
                assert self._symbol_names is not None
                self._add(native.STORE_SYMBOL, flags=faults, to=to).names = self._symbol_names
            elif last.is_dereference:
                self._add(native.STORE_STRING, last.value, flags=user | faults, to=to)
            else:
                self._add_step(last)
                self._add(native.STORE_STRING, flags=user | faults, to=to)
            return
        if last.is_dereference:
            self._add(native.STORE_MEMORY, last.value, flags=user, size=kind.size, count=count or 1, to=to)
        else:
            self._add_step(last)
            self._add(native.STORE, size=kind.size, to=to)
        if argument.bits is not None:
            taken = self._add(native.BITS, size=kind.size, count=count or 1, to=to)
            taken.first_bit, taken.bits = argument.bits.offset, argument.bits.width

    def _space(self, step: Step) -> int:
        """The flag of the memory that a dereference reads: user memory if it says so, and always for a uprobe."""
        return native.USER if self._user or step.op is Op.USER_DEREFERENCE else 0

    def _add_step(self, step: Step) -> None:
        match step.op:
            case Op.REGISTER:
                self._add(native.REGISTER, step.value)
            case Op.STACK:
                self._add(native.REGISTER, self._registers.stack_pointer)
                self._add(native.DEREFERENCE, self._registers.stack_bias + step.value * _WORD, flags=self._space(step))
            case Op.IMMEDIATE:
                self._add(native.IMMEDIATE, step.value)
            case Op.FILE_OFFSET:
                self._add(native.PLACE, step.value - self._file_offset)
            case Op.COMM:
                self._add(native.COMM)
            case Op.TEXT:
                text = np.frombuffer(step.text.encode(errors="surrogateescape") + b"\0", np.uint8)
                self._texts.append(text)
                self._add(native.TEXT, size=len(text)).text = Bytes(text.ctypes.data)
            case Op.FIELD:
                assert step.field is not None
                self._add_field(step.field)
            case Op.DEREFERENCE | Op.USER_DEREFERENCE:
                self._add(native.DEREFERENCE, step.value, flags=self._space(step))

    def _add_field(self, field: Field) -> None:
        if field.is_dynamic:
            flags = native.RELATIVE if field.data_base else 0
            self._add(native.FIELD_DATA, field.offset, flags=flags, size=field.size)
        elif field.type.endswith("]") and _CHARACTERS.search(field.type):
            self._add(native.FIELD_TEXT, field.offset, size=field.size)
        else:
            size = field.size if field.size in (1, 2, 4, 8) else _WORD
            self._add(native.FIELD, field.offset, flags=native.SIGNED if field.signed else 0, size=size)
