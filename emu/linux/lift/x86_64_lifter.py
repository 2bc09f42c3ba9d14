# SPDX-License-Identifier: GPL-2.0-only
"""Lifts x86-64 code. If something on every way to the code's end cannot be lifted, nothing is (CannotLift)."""

from __future__ import annotations

import llvmlite.ir as ir

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.linux.lift import x86_64_paths
from emu.linux.lift.code import Code
from emu.linux.lift.memory import I1, I64, POINTER, Memory
from emu.linux.lift.reasons import Target
from emu.linux.lift.x86_64_paths import JUMP_SIZE, is_jump
from emu.linux.lift.x86_64_state import FLAGS, Registers, State, register_of
from emu.linux.lift.x86_64_walk import ARGUMENTS, Walk

__all__ = ["ARGUMENTS", "JUMP_SIZE", "Lifter", "is_jump"]

_SP = register_of("sp")


class Lifter:
    """Lifts functions.

    Args:
        code: reads the code.
        memory: the guest's memory.
        preempt_count: the place of the preemption count in a CPU's per-CPU area.

    Attributes:
        passed: the jump labels of the tracepoint that lifted code has passed behind another one.
    """

    def __init__(self, code: Code, memory: Memory, preempt_count: int) -> None:
        self._code, self._memory, self._preempt_count = code, memory, preempt_count
        self.passed: set[int] = set()

    def site(self, name: str, label: int, target: Target) -> ir.Module:
        """A function `u64 name(registers, gs_base)`: evaluates the code to which a jump label leads, up to the call of `target`.

        It gets a pointer to a CPU's general registers, and the address of the CPU's per-CPU area. It returns 1, and has stored
        the arguments in the area; or 0 if the code does not come to that call; or FAILED.

        Raises:
            CannotLift: with the reason.
        """
        known = self._code.label(label)
        assert known is not None
        resumes = label + x86_64_paths.instruction_at(self._code, label).size
        leading = x86_64_paths.leading(self._code, known[0], resumes, target)
        self.passed.update(address for address in leading if self._code.is_always_on(address))
        for on_stack in (False, True):
            module = ir.Module("lifted")
            begin, state = self._begin(module, name, from_registers=True, on_stack=on_stack)
            Walk(self._code, state, begin.function, target, leading).run(known[0])
            if not state.stores:  # as most code
                break
        return module

    def probe(self, name: str, address: int) -> ir.Module:
        """A function `u64 name(registers, gs_base)`: a tracepoint's function, with the arguments that the area has. It returns
        the size of the entry that it has stored in the area; or 0 if it has stored none; or FAILED.

        Raises:
            CannotLift: with the reason.
        """
        module = ir.Module("lifted")
        begin, state = self._begin(module, name, from_registers=False)
        Walk(self._code, state, begin.function, None).run(address)
        return module

    def _begin(self, module: ir.Module, name: str, *, from_registers: bool, on_stack: bool = False) -> tuple[ir.Block, State]:
        function = ir.Function(module, ir.FunctionType(I64, [POINTER, I64]), name)
        entry, begin = function.append_basic_block("entry"), function.append_basic_block("begin")
        builder = ir.IRBuilder(entry)
        general = [builder.alloca(I64) for _ in GENERAL_REGISTERS]
        flags = {flag: builder.alloca(I1) for flag in FLAGS}
        preempt_count = builder.alloca(ir.IntType(32))
        pointer, gs_base = function.args
        memory = self._memory
        for index, register in enumerate(general):
            if from_registers:
                value = builder.load(builder.gep(pointer, [I64(index)], source_etype=I64), typ=I64)
            elif GENERAL_REGISTERS[index] in ARGUMENTS:
                value = memory.get(builder, "registers", 8 * ARGUMENTS.index(GENERAL_REGISTERS[index]))
            else:
                value = memory.place(builder, "returns_to") if index == _SP else I64(0)
            builder.store(value, register)
        for flag in flags.values():
            builder.store(I1(0), flag)
        memory.put(builder, I64(0), "failed")
        stack = memory.begin_stack(builder, builder.load(general[_SP]) if on_stack else None)
        found = memory.load(builder, builder.add(gs_base, I64(self._preempt_count)), 4)
        builder.store(found, preempt_count)
        builder.branch(begin)
        builder.position_at_end(begin)
        variables = Registers(general, flags, preempt_count)
        return begin, State(builder, variables, self._memory, gs_base, self._preempt_count, stack)
