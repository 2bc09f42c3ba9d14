# SPDX-License-Identifier: GPL-2.0-only
"""Follows the control flow of x86-64 code, and emits what it does.

A function that is called is lifted in the place of the call, so a lifted function is one piece. Where the code does what it
must not do here, or cannot, the lifted function fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import capstone
import llvmlite.ir as ir
from capstone import x86

from emu.linux.lift import calls, x86_64_paths
from emu.linux.lift.area import MOST_STACK_WORDS
from emu.linux.lift.code import Code
from emu.linux.lift.memory import I64
from emu.linux.lift.reasons import CannotLift, Target
from emu.linux.lift.x86_64_operations import condition, execute
from emu.linux.lift.x86_64_state import State, register_of

__all__ = ["ARGUMENTS", "FAILED", "Walk"]

ARGUMENTS = ("di", "si", "dx", "cx", "r8", "r9")  # the System V ABI, "Parameter Passing"
FAILED = (1 << 64) - 1
"""What a lifted function returns if it has failed."""

_SP = register_of("sp")
_MOST_INSTRUCTIONS = 3000
_DEEPEST = 10  # calls
_MOST_JUMPS_BACK = 1 << 16  # in one execution: what damaged data lead to may have no end
_RETURNS = frozenset(("__x86_return_thunk", "srso_return_thunk", "retbleed_return_thunk"))
_IGNORED_CALLS = frozenset(("__fentry__", "__cfi_check"))
_JUMPS = frozenset(range(x86.X86_INS_JAE, x86.X86_INS_JS + 1))


@dataclass
class _Frame:
    """A function under way.

    Attributes:
        depth: of calls; 0: the code at which the lifting began.
        returns: the block behind the call; None: the lifted function ends.
    """

    depth: int
    returns: ir.Block | None


class Walk:
    """Follows the code from one address on.

    Args:
        code: reads it.
        state: emits.
        function: gets the blocks.
        target: the call at which it ends; None: it ends with a return or with an entry.
        leading: the addresses of the instructions from which the first function's code may come to that call.
    """

    def __init__(
        self,
        code: Code,
        state: State,
        function: ir.Function,
        target: Target | None,
        leading: frozenset[int] = frozenset(),
    ) -> None:
        self._code, self._state, self._function, self._target, self._leading = code, state, function, target, leading
        self._builder, self._memory = state.builder, state.memory
        self._instructions = 0
        self._obstacle: CannotLift | None = None  # the first place that cannot be lifted
        self._succeeds = False  # whether the code may come to its end
        self._size: ir.Value | None = None  # of the entry
        self._jumps_back: ir.Value | None = None  # how many are left
        self._list: int | None = None  # the register that has just got the list of the tracepoint's functions
        self._is_tested = False  # whether it has just been compared with 0

    def run(self, address: int) -> None:
        """Lifts the code. Raises CannotLift if it never comes to its end."""
        with self._builder.goto_entry_block():
            self._size = self._builder.alloca(I64)
            self._builder.store(I64(0), self._size)
            self._jumps_back = self._builder.alloca(I64)
            self._builder.store(I64(_MOST_JUMPS_BACK), self._jumps_back)
        self._follow(address, _Frame(0, None))
        if not self._succeeds:
            raise self._obstacle or CannotLift("has no end")

    def _follow(self, start: int, frame: _Frame) -> None:
        """Lifts the code from `start` on, to where it returns; the builder is at the end of an empty block."""
        blocks: dict[int, ir.Block] = {start: self._builder.block}
        todo = [start]

        def block_of(address: int) -> ir.Block:
            if address not in blocks:
                blocks[address] = self._function.append_basic_block(f"at_{address:x}")
                todo.append(address)
            return blocks[address]

        while todo:
            address = todo.pop()
            self._builder.position_at_end(blocks[address])
            following = self._try_instruction(address, frame, block_of)
            while following is not None and following not in blocks:
                following = self._try_instruction(following, frame, block_of)
            if following is not None:
                self._builder.branch(blocks[following])

    def _try_instruction(self, address: int, frame: _Frame, block_of: Callable[[int], ir.Block]) -> int | None:
        """The same as `_instruction`. Where the code cannot be lifted, the lifted function fails."""
        try:
            return self._instruction(address, frame, block_of)
        except CannotLift as error:
            self._obstacle = self._obstacle or error.within(self._code.name_of(address))
            self._fail()
            return None

    def _instruction(self, address: int, frame: _Frame, block_of: Callable[[int], ir.Block]) -> int | None:
        """Lifts one instruction. Returns where the code goes on; None: a jump has been emitted."""
        self._instructions += 1
        if self._instructions > _MOST_INSTRUCTIONS:
            raise CannotLift("is too long")
        if self._target is not None and not frame.depth and address not in self._leading:
            self._finish(I64(0))
            return None
        label = self._code.label(address)
        if label is not None and label[1]:
            self._check_end(address, label[0])
            self._builder.branch(block_of(label[0]))
            return None
        one = x86_64_paths.instruction_at(self._code, address)
        after: int = address + one.size
        if label is not None:
            return after
        if one.id == x86.X86_INS_CALL and one.operands[0].type == x86.X86_OP_MEM:
            return self._paravirtual(one)
        if one.id == x86.X86_INS_CALL:
            return self._call(one, after, frame)
        if one.id == x86.X86_INS_JMP:
            return self._jump(one, frame, block_of)
        if one.id == x86.X86_INS_RET:
            self._return(frame)
            return None
        if one.id in (x86.X86_INS_UD2, x86.X86_INS_UD1, x86.X86_INS_UD0):
            self._fail()
            return None
        if capstone.CS_GRP_JUMP in one.groups:
            if one.id not in _JUMPS:
                raise CannotLift(f"has the instruction {one.mnemonic}")
            if self._is_tested:
                self._list, self._is_tested = None, False
                return after if one.id == x86.X86_INS_JE else int(one.operands[0].imm & FAILED)
            chosen, to = condition(self._state, one.mnemonic[1:]), one.operands[0].imm & FAILED
            self._check_end(address, to)
            taken, other = (block_of(place) for place in (to, after))
            self._builder.cbranch(chosen, taken, other)
            return None
        if self._is_list_of_functions(one):
            self._state.write(one, 0, self._memory.place(self._builder, "function"))
            self._list = one.operands[0].reg
            return after
        if self._list is not None and one.mnemonic == "test":
            self._is_tested = all(operand.type == x86.X86_OP_REG and operand.reg == self._list for operand in one.operands)
        execute(self._state, one)
        return after

    def _check_end(self, address: int, to: int) -> None:
        """Before a jump. Backward, code that has failed would perhaps jump for ever."""
        if to > address:
            return
        ends, goes_on = (self._function.append_basic_block(name) for name in ("ends", "goes_on"))
        left = self._builder.sub(self._builder.load(self._jumps_back), I64(1))
        self._builder.store(left, self._jumps_back)
        is_over = self._builder.icmp_unsigned("==", left, I64(0))
        self._builder.cbranch(self._builder.or_(is_over, self._memory.failed(self._builder)), ends, goes_on)
        self._builder.position_at_end(ends)
        self._builder.ret(I64(FAILED))
        self._builder.position_at_end(goes_on)

    def _is_list_of_functions(self, one: capstone.CsInsn) -> bool:
        """Whether an instruction loads the tracepoint's list of functions."""
        if self._target is None or one.mnemonic != "mov" or one.operands[1].type != x86.X86_OP_MEM:
            return False
        memory = one.operands[1].mem
        at = memory.disp + (one.address + one.size if memory.base == x86.X86_REG_RIP else 0)
        is_constant = memory.base in (0, x86.X86_REG_RIP) and not memory.index and not memory.segment
        return bool(is_constant and at & FAILED == self._target.funcs)

    # Where code goes on

    def _fail(self) -> None:
        self._builder.ret(I64(FAILED))

    def _finish(self, value: ir.Value) -> None:
        """The lifted function returns."""
        self._builder.ret(self._builder.select(self._memory.failed(self._builder), I64(FAILED), value))

    def _return(self, frame: _Frame) -> None:
        if frame.returns is None:
            self._finish(I64(0))
            return
        self._state.pop()
        self._builder.branch(frame.returns)

    def _jump(self, one: capstone.CsInsn, frame: _Frame, block_of: Callable[[int], ir.Block]) -> int | None:
        operand = one.operands[0]
        if operand.type != x86.X86_OP_IMM:
            raise CannotLift("jumps to where a register says")
        to = operand.imm & FAILED
        name = self._name(to)
        if name in _RETURNS:
            self._return(frame)
        elif self._replaced(to, name):
            if not self._builder.block.is_terminated:
                self._return(frame)
        else:
            self._check_end(one.address, to)
            self._builder.branch(block_of(to))
        return None

    def _call(self, one: capstone.CsInsn, after: int, frame: _Frame) -> int | None:
        operand = one.operands[0]
        if operand.type != x86.X86_OP_IMM:
            raise CannotLift("calls what a register says")
        to = operand.imm & FAILED
        name = self._name(to)
        if name in _IGNORED_CALLS:
            return after
        if name.startswith("__x86_indirect_thunk"):
            raise CannotLift("calls what a register says")
        if self._replaced(to, name):
            return None if self._builder.block.is_terminated else after
        self._inline(to, after, frame)
        return after

    def _paravirtual(self, one: capstone.CsInsn) -> int:
        """A call through a table, which the kernel has replaced by the instructions themselves when it booted."""
        code = self._code.patched(one.address, one.size)
        at = 0
        while at < one.size:
            patched = x86_64_paths.decode(one.address + at, code[at:])
            if capstone.CS_GRP_CALL in patched.groups or capstone.CS_GRP_JUMP in patched.groups:
                raise CannotLift("calls what a variable says")
            execute(self._state, patched)
            at += patched.size
        return int(one.address + one.size)

    def _name(self, address: int) -> str:
        """The name of the function that begins at an address, without what the compiler has added; "" if none does."""
        known = self._code.name_of(address)
        return known[0].partition(".")[0] if known is not None and known[1] == 0 else ""

    def _replaced(self, to: int, name: str) -> bool:
        """Emits what a called function does, if the host has its own for it. A block that is terminated then ends there."""
        state, builder = self._state, self._builder
        if self._target is not None and to in self._target.functions:
            self._store_arguments(self._target)
            self._succeeds = True
            self._finish(I64(1))
        elif name in calls.NO_RETURN:
            self._fail()
        elif name == calls.RESERVE:
            size = builder.and_(state.get(register_of("dx")), I64(0xFFFF_FFFF))
            state.put(register_of("ax"), calls.reserve(builder, self._memory, size, self._size))
        elif name == calls.COMMIT:
            self._succeeds = True
            self._finish(builder.load(self._size))
        elif name in calls.WRITING:
            raise CannotLift("writes to a buffer of the kernel")
        elif name in calls.REPLACED:
            arguments = [state.get(register_of(argument)) for argument in ARGUMENTS]
            state.put(register_of("ax"), calls.REPLACED[name](builder, self._memory, arguments))
        else:
            return False
        return True

    def _inline(self, to: int, after: int, frame: _Frame) -> None:
        """Lifts a called function."""
        if frame.depth == _DEEPEST:
            raise CannotLift("calls too deep")
        self._state.push(I64(after))
        returns = self._function.append_basic_block(f"after_{to:x}")
        self._follow_in_new_block(to, _Frame(frame.depth + 1, returns))
        self._builder.position_at_end(returns)

    def _follow_in_new_block(self, address: int, frame: _Frame) -> None:
        block = self._function.append_basic_block(f"call_{address:x}")
        self._builder.branch(block)
        self._builder.position_at_end(block)
        self._follow(address, frame)

    def _store_arguments(self, target: Target) -> None:
        """Stores the arguments of a tracepoint's functions. The first is their data."""
        state = self._state
        for word, name in enumerate(ARGUMENTS):
            self._memory.put(self._builder, state.get(register_of(name)), "registers", 8 * word)
        if target.stack_words > MOST_STACK_WORDS:
            raise CannotLift("has too many arguments")
        pointer = state.get(_SP)
        for word in range(target.stack_words):
            value = state.load(self._builder.add(pointer, I64(8 * word)), 8)
            self._memory.put(self._builder, value, "outgoing", 8 * word)
