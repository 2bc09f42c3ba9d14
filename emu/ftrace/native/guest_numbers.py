# SPDX-License-Identifier: GPL-2.0-only
"""Sizes and masks of the guest's kernel, which are compiled into native code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from emu.native.records import u64

if TYPE_CHECKING:
    from emu.kernel.image import Image

__all__ = ["GuestNumbers"]


class GuestNumbers(NamedTuple):
    """Images with equal values here and equal member offsets (`native.guest_records`) share the compiled code."""

    thread_size: u64  # bytes of a task's stack
    of_user: u64  # offset on it of a program's struct pt_regs
    task_size: u64  # end of user memory
    depth: u64  # entries of a return stack

    # A task's state and flags
    task_report: u64  # the bits of both states that are shown
    task_idle: u64  # the state of a task that waits without counting as load
    pf_kthread: u64

    # thread_info's flags, and preempt_count
    tif_need_resched: u64
    preempt_mask: u64
    softirq_served: u64  # a softirq is being served
    softirq_disabled: u64  # how many times softirqs are disabled, not counting the one being served
    hardirq_mask: u64
    nmi_mask: u64
    preempt_need_resched: u64
    preempt_enabled: u64  # PREEMPT_ENABLED: the count when preemption is enabled

    trace_string: u64  # in a size of struct trace_dynamic: the data is a string

    @classmethod
    def of(cls, image: Image) -> Self:
        """The numbers of an image.

        Raises:
            BadImage: its layout table lacks one of the names.
        """

        def constant(name: str) -> u64:
            return u64(image.constant(name))

        return cls(
            thread_size=constant("THREAD_SIZE"),
            of_user=constant("THREAD_SIZE") - u64(image.size("pt_regs")),
            task_size=constant("TASK_SIZE"),
            depth=constant("FTRACE_RETFUNC_DEPTH"),
            task_report=constant("TASK_REPORT"),
            task_idle=constant("TASK_IDLE"),
            pf_kthread=constant("PF_KTHREAD"),
            tif_need_resched=constant("_TIF_NEED_RESCHED"),
            preempt_mask=constant("PREEMPT_MASK"),
            softirq_served=constant("SOFTIRQ_OFFSET"),
            softirq_disabled=constant("SOFTIRQ_MASK") & ~constant("SOFTIRQ_OFFSET"),
            hardirq_mask=constant("HARDIRQ_MASK"),
            nmi_mask=constant("NMI_MASK"),
            preempt_need_resched=constant("PREEMPT_NEED_RESCHED"),
            preempt_enabled=constant("PREEMPT_ENABLED"),
            trace_string=constant("TRACE_STRING"),
        )
