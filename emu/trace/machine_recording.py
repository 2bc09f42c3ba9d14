# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a machine's buffers, for a Trace."""

from __future__ import annotations

from emu.trace import machine_description as of_machine
from emu.trace.recording import Buffer, CpuPages, Recording

__all__ = ["recording_of"]


def recording_of(machine: of_machine.TracedMachine) -> Recording:
    """A copy of the buffers of all trace arrays, without consuming them."""
    read, kernel = machine.tracefs.read, of_machine.kernel_of(machine)
    cpus = range(machine.trace_array.recorder.cpus)
    return Recording(
        buffers=[
            Buffer(name, array.recorder.clock.name, [CpuPages(cpu, array.reader.unread_pages(cpu)) for cpu in cpus])
            for name, array in of_machine.arrays_of(machine)
        ],
        formats=list(of_machine.formats(machine)),
        cpu_count=len(cpus),
        byte_order="<" if kernel.memory.byte_order == "little" else ">",
        kallsyms=of_machine.kallsyms(kernel).encode(),
        printk_formats=of_machine.printk_formats(machine).encode(),
        saved_cmdlines=read("saved_cmdlines").encode(),
        saved_tgids=read("saved_tgids").encode(),
        trace_options=of_machine.trace_options(machine).encode(),
        btf={name: bytes(data) for name, data in of_machine.btf(machine).items()},
        kernel_values=of_machine.kernel_values(machine),
        call_cost=of_machine.call_cost(machine),
        cpu_stats=of_machine.cpu_stats(machine),
        uname=of_machine.uname(kernel),
        version=of_machine.program(),
    )
