# SPDX-License-Identifier: GPL-2.0-only
"""The arguments of a probe as programs for native code (`native.fetch`)."""

from __future__ import annotations

import re

import numpy as np

from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.arguments import Argument, Op, Step
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.event.call import EventKind, Field
from emu.ftrace.native import fetch as native

__all__ = ["FetchProgram"]

_WORD = 8  # bytes
_MASK = (1 << 64) - 1
_CHARACTERS = re.compile(r"\bchar\b")


class FetchProgram:
    """What fetches all arguments of an entry.

    Args:
        layout: of the entry.
        registers: of the architecture.
        symbol_names: address of the native `symbol_names`; needed if there is a `symstr`.
        file_offset: of the instruction that a uprobe probes.

    Attributes:
        uses_registers: whether any argument is in a register.
        address: of the program, which is there as long as this object.
    """

    def __init__(self, layout: EntryLayout, registers: ProbeRegisters, symbol_names: int = 0, file_offset: int = 0) -> None:
        self._registers = registers
        self._symbol_names = symbol_names
        self._file_offset = file_offset
        self._user = layout.kind in (EventKind.UPROBE, EventKind.URETPROBE)
        self.uses_registers = any(
            step.op in (Op.REGISTER, Op.STACK) for argument in layout.arguments for step in argument.steps
        )
        self._words: list[int] = []
        self._texts: list[tuple[int, bytes]] = []  # which word is to say where it is, and the text
        for argument, offset in zip(layout.arguments, layout.offsets, strict=True):
            self._add_argument(argument, offset)
        self._add(native.END)
        data = b""
        for word, text in self._texts:
            self._words[word] = len(self._words) * _WORD + len(data)
            data += text
        padded = data.ljust(-(-len(data) // _WORD) * _WORD, b"\0")
        self._program = np.append(np.array(self._words, np.uint64), np.frombuffer(padded, np.uint64))
        self.address: int = self._program.ctypes.data

    def _add(
        self, op: np.uint64, operand: int = 0, *, flags: int = 0, size: int = 0, count: int = 0, to: int = 0
    ) -> None:
        what = int(op) | flags | size << int(native.SIZE) | count << int(native.COUNT) | to << int(native.TO)
        self._words += [what, operand & _MASK]

    def _add_argument(self, argument: Argument, to: int) -> None:
        """Adds the steps to a value, and what stores it in the entry at `to`."""
        *steps, last = argument.steps
        for step in steps:
            self._add_step(step)
        kind, count = argument.type, argument.count
        user = int(native.USER) if argument.is_user else 0
        faults = 0 if self._user else int(native.FAULT_TEXT)
        if kind.is_string:
            if count:
                strings = int(native.USER_STRINGS) if argument.is_user else 0
                pointers = self._space(last)
                self._add(native.STORE_STRINGS, last.value, flags=strings | pointers | faults, count=count, to=to)
            elif kind.name == "symstr":
                self._add_step(last)
                self._add(native.STORE_SYMBOL, self._symbol_names, flags=faults, to=to)
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
            bits = argument.bits.offset << int(native.BIT_OFFSET) | argument.bits.width
            self._add(native.BITS, bits, size=kind.size, count=count or 1, to=to)

    def _space(self, step: Step) -> int:
        """The flag of the memory that a dereference reads: of a uprobe, always the program's."""
        return int(native.USER) if self._user or step.op is Op.USER_DEREFERENCE else 0

    def _add_step(self, step: Step) -> None:
        match step.op:
            case Op.REGISTER:
                self._add(native.REGISTER, step.value * _WORD)
            case Op.STACK:
                self._add(native.REGISTER, self._registers.stack_pointer * _WORD)
                self._add(native.DEREFERENCE, self._registers.stack_bias + step.value * _WORD, flags=self._space(step))
            case Op.IMMEDIATE:
                self._add(native.IMMEDIATE, step.value)
            case Op.FILE_OFFSET:
                self._add(native.PLACE, step.value - self._file_offset)
            case Op.COMM:
                self._add(native.COMM)
            case Op.TEXT:
                text = step.text.encode(errors="surrogateescape") + b"\0"
                self._texts.append((len(self._words) + 1, text))
                self._add(native.TEXT, size=len(text))
            case Op.FIELD:
                assert step.field is not None
                self._add_field(step.field)
            case Op.DEREFERENCE | Op.USER_DEREFERENCE:
                self._add(native.DEREFERENCE, step.value, flags=self._space(step))

    def _add_field(self, field: Field) -> None:
        if field.is_dynamic:
            flags = int(native.RELATIVE) if field.data_base else 0
            self._add(native.FIELD_DATA, field.offset, flags=flags, size=field.size)
        elif field.type.endswith("]") and _CHARACTERS.search(field.type):
            self._add(native.FIELD_TEXT, field.offset, size=field.size)
        else:
            size = field.size if field.size in (1, 2, 4, 8) else _WORD
            self._add(native.FIELD, field.offset, flags=int(native.SIGNED) if field.signed else 0, size=size)
