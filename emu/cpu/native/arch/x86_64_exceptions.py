# SPDX-License-Identifier: GPL-2.0-only
"""Floating-point exceptions of an x86-64 CPU, which Unicorn keeps from the guest.

Those of SSE and of the x87 FPU gather beside MXCSR and the FPU's status word. Unicorn never puts them there, although
instructions read these registers, and never clears them, although instructions write them.
"""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native import tcg
from emu.cpu.native.cpu_records import Cpu, Operand, TranslatorContext
from emu.cpu.native.translator import BeforeCall, BeforeOperation
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["USERS", "build"]

# An invalid operation, division by zero, overflow, underflow, an inexact result: MXCSR's and the x87 status word's flags but
# for the denormal operand, which softfloat does not report (manual volume 1, 8.1.3 and 10.2.3).
EXCEPTIONS = 0x3D
# The helpers of instructions that read or write one of the two; `stmxcsr` has none.
USERS = [
    f"helper_{name}_x86_64" for name in (
        "ldmxcsr", "fxsave", "fxrstor", "xsave", "xsaveopt", "xrstor", "fnstsw", "fclex", "fninit", "fstenv", "fldenv", "fsave",
        "frstor",
    )
]  # fmt: skip


def build(at: Layout) -> tuple[BeforeCall, BeforeOperation]:
    """What `translator.build` calls before a call of one of USERS, and before an operation."""
    ops = tcg.build("x86_64", at.translator)
    constant, bit_and, bit_or = ops.constant, ops.bit_and, ops.bit_or
    ld8u, ld16u, ld32u = ops.ld8u, ops.ld16u, ops.ld32u
    st8, st16, st32 = ops.st8, ops.st16, ops.st32
    mxcsr, sse_flags = at.env_mxcsr, at.env_sse_flags
    status_word, x87_flags = at.env_fpus, at.env_x87_flags

    @njit
    def gathered(ctx: TranslatorContext, env: Operand, flags: u64) -> Operand:
        """Emits that exceptions are taken from where they gather. They have softfloat's bits, which are the registers', too."""
        found = bit_and(ctx, ld8u(ctx, env, flags), constant(ctx, EXCEPTIONS))
        st8(ctx, constant(ctx, 0), env, flags)
        return found

    @njit
    def keep_exceptions(cpu: Cpu, ctx: TranslatorContext) -> None:
        """Emits that both registers get their exceptions."""
        env = constant(ctx, cpu.env)
        st32(ctx, bit_or(ctx, ld32u(ctx, env, mxcsr), gathered(ctx, env, sse_flags)), env, mxcsr)
        st16(ctx, bit_or(ctx, ld16u(ctx, env, status_word), gathered(ctx, env, x87_flags)), env, status_word)

    @njit
    def before_operation(cpu: Cpu, ctx: TranslatorContext, offset: u64) -> None:
        if offset == mxcsr:
            keep_exceptions(cpu, ctx)

    return keep_exceptions, before_operation
