# SPDX-License-Identifier: GPL-2.0-only
"""What a port tells timing models about blocks: where they access memory, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from emu.cpu import arch as cpu_arch
from emu.cpu.timing import NO_REGISTER, Access, BlockSummary
from emu.cpu.timing.steps import Step, Steps
from emu.port.ladder.board import BareBoard
from emu.port.ladder.board_memory import CODE, DATA

__all__ = ["summaries"]

_WORDS = 64  # at DATA, each of which is the address of another word behind them
_MASK = (1 << 64) - 1
_MOST = 64  # instructions
_BINARY: Final[Mapping[Step, Callable[[int, int], int]]] = {
    Step.ADD: lambda a, b: a + b, Step.SUBTRACT: lambda a, b: a - b, Step.AND: lambda a, b: a & b, Step.OR: lambda a, b: a | b,
    Step.XOR: lambda a, b: a ^ b, Step.MULTIPLY: lambda a, b: a * b, Step.DIVIDE: lambda a, b: a // b if b else 0,
    Step.REMAINDER: lambda a, b: a % b if b else 0,
}  # fmt: skip


def summaries(arch: str, cpu_model: str) -> None:
    """Summaries of blocks know as many addresses as the port says, and as the CPU accesses them."""
    summarise = cpu_arch.load(arch).summarise(cpu_arch.load(arch).core(cpu_model))
    for name, block in BareBoard(arch).text.summarised.items():
        bare = BareBoard(arch)
        for n in range(_WORDS):
            bare.word(DATA + 8 * n, bare.virtual(DATA + 0x1000 + 8 * n))
        program = bare.start(f"{block.before}\nblock:\n{block.text}\nblock_end:\n{bare.stop()}")
        begin, end = program.symbols["block"], program.symbols["block_end"]
        _step_to(bare, begin)
        evaluation = _Evaluation(bare)
        code = program.code[begin - bare.virtual(CODE) : end - bare.virtual(CODE)]
        made = summarise(code, begin)
        bare.cpu.step(made.instructions)
        what = f"{name}: accesses known from the registers at its beginning, at its end, calculated, and unknown ones"
        bare.expect(what, block.accesses, (len(made.at_entry), len(made.at_exit), len(made.calculated), made.unknown))
        bare.expect(f"{name}: its ending", block.ending, made.ending.name)
        bare.expect(f"{name}: it can be decoded", False, made.static)
        bare.expect(f"{name}: it flushes the TLB", block.flushes, made.flushes_tlb)
        if block.inverted:
            address = ~bare.cpu.registers()[block.inverted] & _MASK
            known = evaluation.addresses(made)
            if address not in known:
                bare.failed(f"{name}: the summary has the CPU's access to {address:#x}", ", ".join(map(hex, sorted(known))))


def _step_to(bare: BareBoard, place: int) -> None:
    for _ in range(_MOST):
        if bare.cpu.pc == place:
            return
        bare.cpu.step()
    bare.failed("steps of one instruction come to the block", f"pc {bare.cpu.pc:#x}")


class _Evaluation:
    """Calculates addresses from the registers at a block's beginning and end, and what memory held at its beginning."""

    def __init__(self, bare: BareBoard) -> None:
        self._bare, self._names = bare, bare.text.numbered
        self.first = bare.cpu.registers()
        self._memory = bytes(bare.board.ram)

    def addresses(self, made: BlockSummary) -> set[int]:
        """All known addresses; the CPU is at the block's end."""
        last = self._bare.cpu.registers()
        return {
            *(self._plain(access, self.first) for access in made.at_entry),
            *(self._plain(access, last) for access in made.at_exit),
            *(self._calculated(access.address) for access in made.calculated),
        }

    def _plain(self, access: Access, values: Mapping[str, int]) -> int:
        base, scaled = (0 if n == NO_REGISTER else values[self._names[n]] for n in (access.base, access.scaled))
        return base + (scaled << access.shift) + access.displacement & _MASK

    def _calculated(self, steps: Steps) -> int:
        stack: list[int] = []
        for step, argument in steps:
            if step in _BINARY:
                right = stack.pop()
                stack.append(_BINARY[step](stack.pop(), right) & _MASK)
            elif step in (Step.REGISTER, Step.CONSTANT):
                stack.append(self.first[self._names[argument]] if step == Step.REGISTER else argument & _MASK)
            elif step != Step.SEGMENT:  # segments begin at 0 here
                stack.append(self._changed(step, stack.pop(), argument))
        return stack[-1]

    def _changed(self, step: Step, value: int, argument: int) -> int:
        """A step with one number."""
        if step == Step.LOAD:
            at = value - self._bare.arch.kernel_map
            return int.from_bytes(self._memory[at : at + argument], self._bare.arch.byte_order)
        if step in (Step.ZERO_EXTEND, Step.SIGN_EXTEND):
            bits = 8 * argument
            low = value & (1 << bits) - 1
            return low - (low >> bits - 1 << bits) & _MASK if step == Step.SIGN_EXTEND else low
        if step == Step.SHIFT_LEFT:
            return value << argument & _MASK
        if step == Step.SHIFT_SIGNED:
            value -= value >> 63 << 64
        return value >> argument & _MASK
