# SPDX-License-Identifier: GPL-2.0-only
"""Unwinds the kernel stacks of an x86-64 Linux by its ORC tables, as its own unwinder does.

A rule says for an address in the code, relative to %rsp or %rbp there (or to a word stored there), where the stack was before the
function was called or the code interrupted, and what lies below that place:

    CALL            the return address
    REGS            a struct pt_regs begins at that place: all registers of the interrupted code
    REGS_PARTIAL    the words that the processor stores when it is interrupted: %rip, %cs, %rflags, %rsp, %ss

Of generated code nothing is known. Linux guesses that it uses a frame pointer: GUESS is a CALL if that leads to the same stack.

The rule also says where the caller's %rbp was saved. An address behind a call may already be in other code: of such an address,
the byte before it is looked up. Where a CPU switches to its stack for interrupts or to one for exceptions, and back, a rule says
that, too.

The trace ends where no rule is known, at the end of a stack, at a program, at an address outside all code, and where a stack does
not lead upwards.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.orc_record import OrcEntry, OrcTables, entry_at, text_of
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PLACE_FUNCTION, PLACE_RETURN
from emu.ftrace.native.unwind import Unwind, build_put
from emu.native.functions import njit
from emu.native.records import Values, u64

__all__ = ["build"]

# Types of a rule. What is less is the end of a trace.
CALL, REGS, REGS_PARTIAL, GUESS = range(2, 6)
# ORC_REG_ of Linux's asm/orc_types.h
NOT_SAVED, PREV_SP, DX, DI, BP, SP, R10, R13, BP_INDIRECT, SP_INDIRECT = range(10)

# struct pt_regs: where it has general registers; its last five words are those that the processor stores
SAVED_R13, SAVED_BP, SAVED_R10, SAVED_DX, SAVED_DI = (u64(8 * n) for n in (2, 4, 7, 12, 14))
STORED = u64(8 * 16)
STORED_CS, STORED_SP = u64(8), u64(24)
USER = u64(3)  # bits of %cs

SLOT_SIZE = u64(8)  # bytes of a return address
LOW_BITS, HALF_SHIFT = u64(7), u64(63)  # The kernel's addresses have bit 63.
STACK_SHIFT = u64(14)  # A task's stack has 16 KiB, and begins at a multiple of that; no other stack is in the same 16 KiB.
STACK_SIZE = u64(1 << STACK_SHIFT)
NOWHERE, OF_CPU = u64(0), u64(1)  # where the registers are, if not at an address

# What may be before a function's call site: endbr64, or what Linux replaces it with where nobody jumps to it indirectly
OPENINGS = ("f30f1efa", "660f1f00", "0f1f40d6")
ENDBR, SEALED, SEALED_SINCE_6_15 = (u64(int.from_bytes(bytes.fromhex(code), "little")) for code in OPENINGS)
ENDBR_SIZE, SITE_SIZE = u64(4), u64(5)
LOW_HALF, FUNCTION_BITS = u64(0xFFFF_FFFF), u64(15)  # Functions that begin with endbr64 are aligned.


def build(
    orc_of: Callable[[TraceArray], OrcTables],
    word_at: Callable[[TraceArray, u64], u64],
    site_end: int | None = None,
    with_places: bool = False,
) -> Unwind:
    """Compiles unwind(), as `native.unwind` describes it.

    At PLACE_FUNCTION the CPU is at a function's first instruction, and the first address is that behind the call of its site. In
    all other places the CPU is at an arbitrary instruction: at PLACE_RETURN at `return_ip` of the event context, else at `ip`.

    Args:
        orc_of: native, orc_of(array): the tables.
        word_at: native, word_at(array, address): the word at an aligned address of the kernel's, or 0.
        site_end: the distance of the first address of PLACE_FUNCTION from the function; None: found by the function's code.
        with_places: see `native.unwind`. A function's place is the word that has its address.
    """
    put, distance = build_put(with_places), u64(site_end or 0)

    @njit
    def on_stack(array: TraceArray, address: u64) -> u64:
        """The word at an address that should be on a stack. 0 is in no code, and on no stack."""
        return word_at(array, address) if address >> HALF_SHIFT != 0 and address & LOW_BITS == 0 else 0

    @njit
    def known_end(array: TraceArray, function: u64) -> u64:
        return function + distance

    @njit
    def found_end(array: TraceArray, function: u64) -> u64:
        code = word_at(array, function) & LOW_HALF if function & FUNCTION_BITS == 0 else 0
        return function + SITE_SIZE + (ENDBR_SIZE if code in (ENDBR, SEALED, SEALED_SINCE_6_15) else u64(0))

    end_of_site = found_end if site_end is None else known_end

    @njit
    def saved(array: TraceArray, registers: Registers, source: u64, at: u64) -> u64:
        """A general register of the interrupted code; 0 if it is unknown."""
        if source != OF_CPU:
            return on_stack(array, source + at) if source != NOWHERE else 0
        if at == SAVED_BP:
            return registers.bp
        if at == SAVED_R10:
            return registers.r10
        if at == SAVED_R13:
            return registers.r13
        return registers.di if at == SAVED_DI else registers.dx

    @njit
    def base_in_register(array: TraceArray, registers: Registers, source: u64, number: u64) -> u64:
        if number == R10:
            return saved(array, registers, source, SAVED_R10)
        if number == R13:
            return saved(array, registers, source, SAVED_R13)
        if number == DI:
            return saved(array, registers, source, SAVED_DI)
        return saved(array, registers, source, SAVED_DX) if number == DX else 0

    @njit
    def before_call(array: TraceArray, rule: OrcEntry, sp: u64, bp: u64) -> u64:
        """Where the stack ended before the call or the interrupt; 0 if another register says so."""
        base, offset = rule.sp_reg, u64(rule.sp_offset)
        if base == SP:
            return sp + offset
        if base == BP:
            return bp + offset
        if base == BP_INDIRECT:
            return on_stack(array, bp + offset)
        return on_stack(array, sp) + offset if base == SP_INDIRECT else u64(0)

    @njit
    def unwind(cpu: Cpu, array: TraceArray, place: u64, out: Values[u64], most: u64) -> u64:
        registers, tables = Registers(cpu.env), orc_of(array)
        sp, bp, source, exact, is_program = registers.sp, registers.bp, OF_CPU, u64(1), False
        if place == PLACE_FUNCTION:
            ip = cpu.location[0]
            shown, slot = end_of_site(array, ip), sp - SLOT_SIZE
        else:
            told = array.event_context
            ip = told.return_ip if place == PLACE_RETURN else told.ip
            shown, slot = ip, sp
        count = u64(0)
        while count < most:
            text = text_of(tables, ip)
            if text is None:
                break
            put(out, count, shown, slot)
            count += 1
            offset = ip - text.start + exact - 1
            if is_program or offset >= text.size:
                break
            rule = entry_at(text, offset)
            kind = rule.type

            # The stack before the call or the interrupt
            if kind < CALL or kind > GUESS:
                break
            top = before_call(array, rule, sp, bp)
            if top == 0:
                top = base_in_register(array, registers, source, rule.sp_reg)
            if top >> HALF_SHIFT == 0 or top & LOW_BITS != 0 or (kind == GUESS and top - sp > STACK_SIZE):
                break

            # Who called or was interrupted
            before, exact = sp, u64(rule.signal)
            if REGS <= kind <= REGS_PARTIAL:
                # If the processor stored only some registers, the others are those that a later interrupt has found.
                slot = top
                if kind == REGS:
                    slot, source = top + STORED, top
                ip, sp = on_stack(array, slot), on_stack(array, slot + STORED_SP)
                is_program = on_stack(array, slot + STORED_CS) & USER != 0
            else:
                slot, sp, source = top - SLOT_SIZE, top, NOWHERE
                ip = on_stack(array, slot)

            # The frame pointer
            if rule.bp_reg == PREV_SP:
                bp = on_stack(array, top + u64(rule.bp_offset))
            elif rule.bp_reg == BP:
                bp = on_stack(array, bp + u64(rule.bp_offset))
            elif rule.bp_reg != NOT_SAVED:
                break
            elif source != NOWHERE:
                bp = saved(array, registers, source, SAVED_BP)
            if sp <= before and sp >> STACK_SHIFT == before >> STACK_SHIFT:
                break
            shown = ip
        return count

    return unwind
