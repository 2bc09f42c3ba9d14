# SPDX-License-Identifier: GPL-2.0-only
"""Summaries of blocks: the data that native code needs to compose a block with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from emu.cpu.native.timing.record import BRANCHED, RETIRED, STORES
from emu.cpu.timing import CYCLE, BlockSummary, Ending, Output, TimingModel
from emu.cpu.timing.addresses import Named, accesses_of, name_places
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import Instruction, Operations
from emu.cpu.timing.schedule import dispatched, issue_time, store_runs, store_time
from emu.cpu.timing.stored import Stored
from emu.cpu.timing.times import NOW, Time, after, join, ready

__all__ = ["Summariser"]

_MOST_INPUTS = 8  # per register: the slowest ones
_MISPREDICTED = frozenset((Ending.CONDITIONAL, Ending.INDIRECT_CALL, Ending.INDIRECT_JUMP, Ending.RETURN))


class Summariser:
    """Makes summaries for one core.

    Args:
        core: the CPU model.
        operations: describes the instructions.
        static: the model that charges blocks that cannot be decoded.
    """

    def __init__(self, core: Core, operations: Operations, static: TimingModel) -> None:
        self._core = core
        self._static = static
        self._operations = operations

    def summarise(self, code: bytes, address: int) -> BlockSummary:
        """The summary of the instructions in `code`, which begins at virtual `address`."""
        instructions = self._instructions(code, address)
        size = sum(i.size for i in instructions)
        ends = bool(instructions) and (size == len(code) or instructions[-1].ending != Ending.FALLS)
        if not ends or not all(i.known for i in instructions):
            return self._charged_as_static(code, address, instructions)
        core = self._core
        named = name_places(instructions, core)
        slots = dispatched(instructions, core)
        ending = instructions[-1].ending
        outputs, blocked = _outputs(instructions, slots, named, core)
        entry, exit_, calculated, unknown = accesses_of(instructions, named)
        return BlockSummary(
            instructions=sum(i.size > 0 for i in instructions),
            ending=ending,
            dispatch=issue_time(instructions, slots, core),
            slots=sum(slots),
            serialising=sum(core.serialising.get(i.mnemonic, 0) for i in instructions) + blocked,
            flushes_tlb=any(i.flushes_tlb for i in instructions),
            outputs=tuple(output for output in outputs if _matters(output, ending, core)),
            at_entry=entry,
            at_exit=exit_,
            calculated=calculated,
            unknown=unknown,
            last=size - instructions[-1].size,
        )

    def _instructions(self, code: bytes, address: int) -> Sequence[Instruction]:
        """The instructions of a block. If the last one is cut off, a breakpoint was there when the CPU translated the block."""
        found = list(_of_one_block(self._operations.of(code, address)))
        breakpoint_ = self._operations.breakpoint
        if sum(i.size for i in found) == len(code) - len(breakpoint_):
            found = list(_of_one_block(self._operations.of(code[: -len(breakpoint_)] + breakpoint_, address)))
        return found

    def _charged_as_static(self, code: bytes, address: int, known: Sequence[Instruction]) -> BlockSummary:
        cost = self._static.block(code, address)
        ending = known[-1].ending if known else Ending.FALLS
        nothing = (), (), (), ()
        return BlockSummary(
            cost.instructions, ending, cost.cycles * CYCLE, cost.instructions, 0, False, *nothing, 0, cost.last, static=True
        )


def _of_one_block(instructions: Iterable[Instruction]) -> Iterator[Instruction]:
    """The instructions up to one that ends a block. More can follow if the code was written after the CPU had translated it."""
    for instruction in instructions:
        yield instruction
        if instruction.ending != Ending.FALLS:
            return


class _Value(NamedTuple):
    """The value in a register."""

    time: Time
    from_memory: bool  # whether it depends on the memory contents at the block's beginning


def _outputs(
    code: Sequence[Instruction], slots: Sequence[int], named: Sequence[Sequence[Named]], core: Core
) -> tuple[list[Output], int]:
    """When each written register is ready, when the last instruction has been executed, and when the block is complete.

    Also the cycles that loads wait for stores to leave the store queue.
    """
    values: dict[int, _Value] = {}
    stored, stack_pointer = Stored(core, named), core.registers.stack_pointer
    end, done = NOW, NOW
    any_from_memory = from_memory = False
    engine = any(i.stack for i in code)  # whether the stack engine holds an offset that is not in the stack pointer yet
    used = 0

    def when(register: int) -> Time:
        known = values.get(register)
        return ready(register) if known is None else known.time

    for instruction, taken, places in zip(code, slots, named, strict=True):
        done = (used * CYCLE // core.width, {})
        address = done
        used += taken
        for register in instruction.reads:
            read = when(register)
            done = join(done, after(read, CYCLE) if register == stack_pointer and engine else read)
        for register in instruction.addresses:
            address = join(address, when(register))
        from_memory = False
        for register in (*instruction.reads, *instruction.addresses):
            if register in values and values[register].from_memory:
                from_memory = True
        for found in places:
            if found.place in instruction.loads:
                loaded = stored.load(found, instruction.vector, address)
                done = join(done, loaded.time)
                from_memory = from_memory or loaded.from_memory
        done = after(done, (instruction.latency + (instruction.locked and instruction.locked - core.load)) * CYCLE)
        for register in instruction.writes:
            values[register] = _Value(done, from_memory)
        stored.execute(instruction, places, done, from_memory)
        end = join(end, done)
        if instruction.stores:
            end = join(end, after(address, CYCLE))
        any_from_memory = any_from_memory or from_memory
        engine = bool(instruction.stack) or (engine and stack_pointer not in instruction.writes)
    for register, left in stored.left(len(store_runs(code, core))):
        values[register] = _Value(*left)
        end = join(end, left.time)
    outputs = [_output(register, *value) for register, value in sorted(values.items())]
    if queue := store_time(code, core):
        outputs.append(Output(STORES, queue, ((STORES, queue),), False))
    outputs += [_output(RETIRED, end, any_from_memory), _output(BRANCHED, done, from_memory)]
    return outputs, stored.blocked


def _matters(output: Output, ending: Ending, core: Core) -> bool:
    """Whether anything after a block with such an ending can depend on an output."""
    if output.register == BRANCHED:
        return ending in _MISPREDICTED
    flags = core.registers.flags
    if output.register == flags:  # they are used up, unless a carry is passed around a loop
        return ending in (Ending.FALLS, Ending.JUMP) or any(register == flags for register, _ in output.inputs)
    return True


def _output(register: int, time: Time, from_memory: bool) -> Output:
    inputs = sorted(time[1].items())
    if len(inputs) > _MOST_INPUTS and register != RETIRED:  # no register may be later than retirement
        inputs = sorted(sorted(inputs, key=lambda found: -found[1])[:_MOST_INPUTS])
    return Output(register, time[0], tuple(inputs), from_memory)
