# SPDX-License-Identifier: GPL-2.0-only
"""Floating-point exceptions of an x86-64 CPU, which Unicorn does not show to the guest.

The flags of SSE and of the x87 FPU accumulate outside MXCSR and the FPU's status word. Unicorn never copies them there when
instructions read these registers, and never clears them when instructions write these registers.
"""

from __future__ import annotations

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native import tcg
from emu.cpu.native.cpu_records import Cpu, Operand, TranslatorContext
from emu.cpu.native.translator import BeforeCall, BeforeOperation
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["USERS", "build"]

# Invalid operation, division by zero, overflow, underflow, inexact result: the flags of MXCSR and of the x87 status word,
# except the denormal operand, which softfloat does not report (manual volume 1, 8.1.3 and 10.2.3).
EXCEPTIONS = 0x3D
# The helpers of instructions that read or write MXCSR or the status word; `stmxcsr` has no helper.
USERS = [
    f"helper_{name}_x86_64" for name in (
        "ldmxcsr", "fxsave", "fxrstor", "xsave", "xsaveopt", "xrstor", "fnstsw", "fclex", "fninit", "fstenv", "fldenv", "fsave",
        "frstor",
    )
]  # fmt: skip


def build(at: Layout) -> tuple[BeforeCall, BeforeOperation]:
    """The functions that `translator.build` calls before a call of one of USERS, and before an operation."""
    ops = tcg.build("x86_64", at.translator)
    constant, bit_and, bit_or = ops.constant, ops.bit_and, ops.bit_or
    ld8u, ld16u, ld32u = ops.ld8u, ops.ld16u, ops.ld32u
    st8, st16, st32 = ops.st8, ops.st16, ops.st32
    mxcsr, sse_flags = at.env_mxcsr, at.env_sse_flags
    status_word, x87_flags = at.env_fpus, at.env_x87_flags

    @njit
    def gathered(ctx: TranslatorContext, env: Operand, flags: u64) -> Operand:
        """Emits code that takes the accumulated exceptions. softfloat's bits are those of the registers."""
        found = bit_and(ctx, ld8u(ctx, env, flags), constant(ctx, EXCEPTIONS))
        st8(ctx, constant(ctx, 0), env, flags)
        return found

    @njit
    def keep_exceptions(cpu: Cpu, ctx: TranslatorContext) -> None:
        """Emits code that copies the exceptions to both registers."""
        env = constant(ctx, cpu.env)
        st32(ctx, bit_or(ctx, ld32u(ctx, env, mxcsr), gathered(ctx, env, sse_flags)), env, mxcsr)
        st16(ctx, bit_or(ctx, ld16u(ctx, env, status_word), gathered(ctx, env, x87_flags)), env, status_word)

    @njit
    def before_operation(cpu: Cpu, ctx: TranslatorContext, offset: u64) -> None:
        if offset == mxcsr:
            keep_exceptions(cpu, ctx)

    return keep_exceptions, before_operation
