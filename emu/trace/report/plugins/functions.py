# SPDX-License-Identifier: GPL-2.0-only
"""Kernel functions called by print fmts and known to trace-cmd's plug-ins: jbd2, cfg80211, scsi, kvm, xen."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.event.known_function import KnownFunction
from emu.trace.report.plugins.fields import numbered
from emu.trace.report.plugins.kvm import is_writable_pte
from emu.trace.report.plugins.scsi import scsi_trace_parse_cdb

__all__ = ["FUNCTIONS"]

_HYPERCALLS = {  # the names of consecutive numbers, from the given one on; xen/include/public/xen.h
    0: "set_trap_table mmu_update set_gdt stack_switch set_callbacks fpu_taskswitch sched_op_compat dom0_op set_debugreg "
       "get_debugreg update_descriptor",
    12: "memory_op multicall update_va_mapping set_timer_op event_channel_op_compat xen_version console_io physdev_op_compat "
        "grant_table_op vm_assist update_va_mapping_otherdomain iret vcpu_op set_segment_base mmuext_op acm_op nmi_op sched_op "
        "callback_op xenoprof_op event_channel_op physdev_op hvm_op",
    48: "arch_0 arch_1 arch_2 arch_3 arch_4 arch_5 arch_6 arch_7",
}  # fmt: skip
_HYPERCALL_NAMES = numbered(_HYPERCALLS)


def _hypercall_name(number: int) -> str:
    name = _HYPERCALL_NAMES.get(number)
    return f"({name})" if name else ""


def _device_name(number: int) -> str:
    """The major and minor number."""
    return f"{number >> 20}:{number & 0xFFFFF}"


FUNCTIONS: Mapping[str, KnownFunction] = {
    "__le16_to_cpup": KnownFunction("m", lambda data: int.from_bytes(data[:2], "little")),
    "is_writable_pte": KnownFunction("n", is_writable_pte),
    "jbd2_dev_to_name": KnownFunction("n", _device_name, is_text=True),
    "jiffies_to_msecs": KnownFunction("n", lambda jiffies: jiffies),  # a file does not contain HZ
    "scsi_trace_parse_cdb": KnownFunction("-m-", scsi_trace_parse_cdb, is_text=True),
    "xen_hypercall_name": KnownFunction("n", _hypercall_name, is_text=True),
}
