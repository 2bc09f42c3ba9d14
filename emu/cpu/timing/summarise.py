# SPDX-License-Identifier: GPL-2.0-only
"""Summaries of x86-64 blocks: what native code needs to know of a block to compose it with others."""

from __future__ import annotations

from collections.abc import Sequence

import capstone
from capstone import x86

from emu.cpu.arch.x86_64.operations import ABSOLUTE, FLAGS, STACK_POINTER, Instruction, Place, describe
from emu.cpu.native.timing.record import BRANCHED, RETIRED
from emu.cpu.timing import NO_REGISTER, Access, BlockSummary, Ending, Output, TimingModel
from emu.cpu.timing.core import Core
from emu.cpu.timing.schedule import dispatched, issue_time

__all__ = ["Summariser"]

_CYCLE = 12
_MOST_INPUTS = 8  # of an output: the slowest
_TRAPS = frozenset(("iretq", "syscall", "sysretq", "int3", "hlt", "ud2"))
_Time = tuple[int, dict[int, int]]  # since the block is dispatched; and since each register is ready


class Summariser:
    """Makes summaries for one core.

    Args:
        core: the CPU model.
        static: what is charged for blocks that cannot be decoded.
    """

    def __init__(self, core: Core, static: TimingModel) -> None:
        self._core = core
        self._static = static
        self._disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._disassembler.detail = True

    def summarise(self, code: bytes, address: int) -> BlockSummary:
        """The summary of the instructions in `code`, which begin at virtual `address`."""
        decoded = list(self._disassembler.disasm(code, address))
        instructions = [describe(instruction, self._core) for instruction in decoded]
        if not decoded or sum(i.size for i in instructions) != len(code) or not all(i.known for i in instructions):
            return self._charged_as_static(code, address, instructions)
        core = self._core
        entry, exit_, unknown = _accesses(instructions)
        return BlockSummary(
            instructions=len(instructions),
            ending=_ending(decoded[-1]),
            dispatch=issue_time(instructions, core),
            slots=sum(dispatched(instructions, core)),
            serialising=sum(core.serialising.get(i.mnemonic, 0) for i in instructions),
            flushes_tlb=any(_flushes(insn) for insn in decoded),
            outputs=self._outputs(instructions),
            at_entry=entry,
            at_exit=exit_,
            unknown=unknown,
            last=len(code) - decoded[-1].size,
        )

    def _charged_as_static(self, code: bytes, address: int, known: Sequence[Instruction]) -> BlockSummary:
        cost = self._static.block(code, address)
        ending = Ending.FALLS
        if decoded := list(self._disassembler.disasm(code, address)):
            ending = _ending(decoded[-1])
        return BlockSummary(
            cost.instructions, ending, cost.cycles * _CYCLE, cost.instructions, 0, False, (), (), (), 0, cost.last, static=True
        )

    def _outputs(self, code: Sequence[Instruction]) -> tuple[Output, ...]:
        """When each register that the block writes is there, when its last instruction is executed, and when all of it is."""
        core = self._core
        value: dict[int, _Time] = {}
        memory: dict[Place, tuple[_Time, bool]] = {}
        waits: set[int] = set()  # registers that depend on the block's data
        end: _Time = (0, {})
        done: _Time = (0, {})
        any_load = last_loads = False
        engine = stack = used = 0
        versions: dict[int, int] = {}
        for instruction, slots in zip(code, dispatched(code, core), strict=True):
            start = used * _CYCLE // core.width
            used += slots

            def ready(register: int) -> _Time:
                return value.get(register, (0, {register: 0}))

            if engine and STACK_POINTER in (*instruction.reads, *instruction.addresses) and not instruction.stack:
                value[STACK_POINTER] = _after(ready(STACK_POINTER), _CYCLE)  # the stack engine's offset is added in
                engine = 0
            begin: _Time = (start, {})
            for register in instruction.reads:
                begin = _join(begin, ready(register))
            loads = False
            for place in instruction.loads:
                name = _name(place, versions, stack)
                stored = memory.get(name)
                address: _Time = (start, {})
                for register in (place.base, place.scaled):
                    if register >= 0 and not (instruction.stack and register == STACK_POINTER):
                        address = _join(address, ready(register))
                at = _after(address, (core.load_vector if instruction.vector else core.load) * _CYCLE)
                if stored is None:
                    loads = True
                elif place.scaled == ABSOLUTE and place.size >= 4:
                    at = _after(stored[0], core.forward_stack * _CYCLE)
                    loads = loads or stored[1]
                else:
                    at = _join(_after(stored[0], core.forward * _CYCLE), at)
                    loads = loads or stored[1]
                begin = _join(begin, at)
            loads = loads or any(r in waits for r in (*instruction.reads, *instruction.addresses))
            latency = instruction.latency + (core.locked if instruction.locked else 0)
            done = _after(begin, latency * _CYCLE)
            last_loads = loads
            any_load = any_load or loads
            for register in instruction.writes:
                value[register] = done
                versions[register] = versions.get(register, 0) + 1
                waits.discard(register)
                if loads:
                    waits.add(register)
            for place in instruction.stores:
                memory[_name(place, versions, stack)] = done, loads
            stack += instruction.stack
            engine = engine or instruction.stack
            stored_at = done
            for register in instruction.addresses if instruction.stores else ():
                stored_at = _join(stored_at, _after(ready(register), _CYCLE))
            end = _join(end, stored_at)
        outputs = [_output(register, time, register in waits) for register, time in sorted(value.items())]
        outputs.append(_output(RETIRED, end, any_load))
        outputs.append(_output(BRANCHED, done, last_loads))
        return tuple(outputs)


def _join(a: _Time, b: _Time) -> _Time:
    """The later of two."""
    if not b[1]:
        return (max(a[0], b[0]), a[1])
    inputs = dict(a[1])
    for register, latency in b[1].items():
        if latency > inputs.get(register, -1):
            inputs[register] = latency
    return max(a[0], b[0]), inputs


def _after(time: _Time, latency: int) -> _Time:
    if not latency:
        return time
    return time[0] + latency, {register: after + latency for register, after in time[1].items()}


def _output(register: int, time: _Time, loads: bool) -> Output:
    slowest = sorted(time[1].items(), key=lambda found: (-found[1], found[0]))[:_MOST_INPUTS]
    return Output(register, time[0], tuple(sorted(slowest)), loads)


def _name(place: Place, versions: dict[int, int], stack: int) -> Place:
    """A place under a name that means the same address within the block, and no other if registers differ."""

    def versioned(register: int) -> int:
        return register if register < 0 else register | versions.get(register, 0) << 8

    displacement = place.displacement + (stack if STACK_POINTER in (place.base, place.scaled) else 0)
    return place._replace(base=versioned(place.base), scaled=versioned(place.scaled), displacement=displacement, size=0)


def _ending(insn: capstone.CsInsn) -> Ending:
    mnemonic = insn.mnemonic.rpartition(" ")[2]
    direct = bool(insn.operands) and insn.operands[0].type == x86.X86_OP_IMM
    if mnemonic == "jmp":
        return Ending.JUMP if direct else Ending.INDIRECT_JUMP
    if mnemonic == "call":
        return Ending.CALL if direct else Ending.INDIRECT_CALL
    if mnemonic == "ret":
        return Ending.RETURN
    if mnemonic.startswith("j"):
        return Ending.CONDITIONAL
    return Ending.TRAPS if mnemonic in _TRAPS else Ending.FALLS


def _flushes(insn: capstone.CsInsn) -> bool:
    """Whether the TLB is emptied: a write of CR3. `invlpg` empties it, too, as nothing smaller is modelled."""
    if insn.mnemonic == "invlpg":
        return True
    operands = insn.operands
    return insn.mnemonic == "mov" and bool(operands) and operands[0].type == x86.X86_OP_REG and operands[0].reg == x86.X86_REG_CR3


# Addresses: known without executing anything if they are linear in the registers at the block's beginning, or at its end.

_Linear = dict[int, tuple[int, int]]  # register: it is that register plus a constant


def _effects(instruction: Instruction) -> dict[int, tuple[int, int] | None]:
    """What an instruction makes of general registers: a register plus a constant, or None."""
    effects: dict[int, tuple[int, int] | None] = {register: None for register in instruction.writes if register < FLAGS}
    if instruction.linear is not None:
        effects[instruction.linear[0]] = instruction.linear[1:]
    if instruction.stack and effects.get(STACK_POINTER) is None:
        effects[STACK_POINTER] = STACK_POINTER, instruction.stack
    return effects


def _from_entry(code: Sequence[Instruction]) -> list[_Linear]:
    """Before each instruction: what its registers are in those at the block's beginning."""
    state: _Linear = {register: (register, 0) for register in range(FLAGS)}
    before = []
    for instruction in code:
        before.append(dict(state))
        effects = _effects(instruction)
        new = {}
        for register, effect in effects.items():
            if effect is not None and effect[0] in state:
                source = state[effect[0]]
                new[register] = source[0], source[1] + effect[1]
        for register in effects:
            state.pop(register, None)
        state.update(new)
    return before


def _from_exit(code: Sequence[Instruction]) -> list[_Linear]:
    """Before each instruction: what its registers are in those at the block's end."""
    state: _Linear = {register: (register, 0) for register in range(FLAGS)}
    before = []
    for instruction in reversed(code):
        effects = _effects(instruction)
        earlier = {register: known for register, known in state.items() if register not in effects}
        for register, effect in effects.items():
            if effect is not None and register in state and effect[0] not in earlier:
                earlier[effect[0]] = state[register][0], state[register][1] - effect[1]
        state = earlier
        before.append(dict(state))
    return before[::-1]


def _accesses(code: Sequence[Instruction]) -> tuple[tuple[Access, ...], tuple[Access, ...], int]:
    """Those known at the beginning, those known at the end, and how many are known nowhere."""
    entry: list[Access] = []
    exit_: list[Access] = []
    unknown = 0
    for instruction, first, last in zip(code, _from_entry(code), _from_exit(code), strict=True):
        if instruction.repeated:
            continue
        modified = instruction.loads if instruction.stores else ()
        for place, write in [(p, False) for p in instruction.loads] + [(p, True) for p in instruction.stores]:
            if write and place in modified:
                continue
            writes = write or (place in modified and place in instruction.stores)
            for state, found in ((first, entry), (last, exit_)):
                base = (NO_REGISTER, 0) if place.base < 0 else state.get(place.base)
                index = (NO_REGISTER, 0) if place.scaled < 0 else state.get(place.scaled)
                if base is not None and index is not None:
                    displacement = place.displacement + base[1] + index[1] * place.scale
                    shift = place.scale.bit_length() - 1
                    found.append(
                        Access(base[0], index[0], shift, displacement, place.size, writes, place.segment, instruction.locked)
                    )
                    break
            else:
                unknown += 1
    return tuple(entry), tuple(exit_), unknown
