# SPDX-License-Identifier: GPL-2.0-only
"""Summaries of blocks: what native code needs to know of a block to compose it with others."""

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

_MOST_INPUTS = 8  # of a register: the slowest
_MISPREDICTED = frozenset((Ending.CONDITIONAL, Ending.INDIRECT_CALL, Ending.INDIRECT_JUMP, Ending.RETURN))


class Summariser:
    """Makes summaries for one core.

    Args:
        core: the CPU model.
        operations: describes the instructions.
        static: what is charged for blocks that cannot be decoded.
    """

    def __init__(self, core: Core, operations: Operations, static: TimingModel) -> None:
        self._core = core
        self._static = static
        self._operations = operations

    def summarise(self, code: bytes, address: int) -> BlockSummary:
        """The summary of the instructions in `code`, which begin at virtual `address`."""
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
        """Those of a block. If the last one has been cut off, a breakpoint was there when the CPU translated the block."""
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
    """Instructions up to one that ends a block. More can follow it in code that was written after the CPU had translated it."""
    for instruction in instructions:
        yield instruction
        if instruction.ending != Ending.FALLS:
            return


class _Value(NamedTuple):
    """What is in a register."""

    time: Time
    from_memory: bool  # whether it depends on what the block finds in memory


def _outputs(
    code: Sequence[Instruction], slots: Sequence[int], named: Sequence[Sequence[Named]], core: Core
) -> tuple[list[Output], int]:
    """When each register that the block writes is there, when its last instruction is executed, and when all of it is.

    And the cycles that loads wait for stores that must leave the store queue first.
    """
    values: dict[int, _Value] = {}
    stored, stack_pointer = Stored(core, named), core.registers.stack_pointer
    end, done = NOW, NOW
    any_from_memory = from_memory = False
    engine = any(i.stack for i in code)  # whether the stack engine has an offset that the stack pointer lacks
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
    """Whether what follows a block that ends so can depend on an output."""
    if output.register == BRANCHED:
        return ending in _MISPREDICTED
    flags = core.registers.flags
    if output.register == flags:  # what they say is used up, unless carries go round in a loop
        return ending in (Ending.FALLS, Ending.JUMP) or any(register == flags for register, _ in output.inputs)
    return True


def _output(register: int, time: Time, from_memory: bool) -> Output:
    inputs = sorted(time[1].items())
    if len(inputs) > _MOST_INPUTS and register != RETIRED:  # no register may be later than what has retired
        inputs = sorted(sorted(inputs, key=lambda found: -found[1])[:_MOST_INPUTS])
    return Output(register, time[0], tuple(inputs), from_memory)
