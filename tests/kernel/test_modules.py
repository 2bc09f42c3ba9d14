# SPDX-License-Identifier: GPL-2.0-only
"""What the host reads of modules."""

from __future__ import annotations

import itertools

from emu.kernel.image import symbol_record
from tests.lib.booted_machine import booted_machine


def test_a_function_ends_with_its_module_whatever_its_symbol_says(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.run("insmod /lib/modules/sample_bug.ko")
        (module,) = machine.kernel.modules
        memory, image = machine.kernel.memory, machine.kernel.image
        symbols = memory.member(module.address, "module.kallsyms")
        table, count = (memory.member(symbols, f"mod_kallsyms.{name}") for name in ("symtab", "num_symtab"))
        record = symbol_record(image.byte_order)
        for n in range(count):
            memory.write(table + n * record.itemsize + record.fields["size"][1], bytes(8 * [0xFF]))  # type: ignore[index]
        functions = machine.kernel.modules.read(module.address).functions
        assert "sample_bug_stop" in {one.name for one in functions}
        assert {one.address + one.size for one in functions} == {module.core.base + module.core.text}


SAMPLES = ("sample_timer", "sample_wakeup", "sample_printk", "sample_events", "trace-events-sample", "trace-printk", "sample_bug")


def test_memory_of_a_modules_init_is_another_modules_later(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.run("; ".join(f"insmod /lib/modules/{name}.ko" for name in SAMPLES))
        pairs = itertools.combinations(machine.kernel.modules, 2)
        first, second = next((one, other) for one, other in pairs if one.init is not None and other.core.overlaps(one.init))
        function = next(symbol for symbol in second.functions if symbol.address in first.init)
        machine.tracefs.write("kprobe_events", f"p:mine {second.name}:{function.name}")
        machine.tracefs.write("events/kprobes/enable", "1")
        before = machine.ftrace.kprobes.text()
        machine.run(f"rmmod {first.name}")
        assert machine.ftrace.kprobes.text() == before and function.name in before
