# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of a kernel share."""

from __future__ import annotations

from collections.abc import Callable

from emu.ftrace.arch import FtraceArch
from emu.ftrace.array_records import RecordLists
from emu.ftrace.clocks import Clocks
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.kernel_values import KernelValues
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.saved_cmdlines import SavedCmdlines
from emu.ftrace.symbols import KernelSymbols
from emu.kernel.kernel import Kernel

__all__ = ["TraceGlobals"]


class TraceGlobals:
    """Names of functions and of tasks, events, clocks, the layout of the guest's structures, and the list of the arrays' records.

    Args:
        kernel: with its image loaded.
        arch: the call sites of its architecture.
        warn: gets a sentence about what cannot be traced or printed.
        pointer_key: varies the numbers that hide addresses in the text of events.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, warn: Callable[[str], None], pointer_key: int) -> None:
        self.warn = warn
        self.kernel_values = KernelValues(kernel.memory)
        self.pointer_key = pointer_key
        self.guest = GuestLayout.of(kernel.image)
        self.symbols = KernelSymbols(kernel.image, kernel.modules)
        self.records = RecordLists(kernel)
        self.events = Catalogue(kernel.memory, self.records, warn)
        self.clocks = Clocks(kernel, arch, self.records)
        self.saved_cmdlines = SavedCmdlines(kernel.tasks, self.records)
