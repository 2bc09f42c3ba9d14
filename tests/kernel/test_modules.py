# SPDX-License-Identifier: GPL-2.0-only
"""What the host reads about modules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.kernel.image import symbol_record
from emu.kernel.modules import Module
from emu.machine import Machine
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


OTHERS = ("sample_timer", "sample_wakeup", "sample_printk", "sample_events", "sample_export", "sample_bug")


@pytest.fixture
def neighbours(arch: str) -> Iterator[tuple[Machine, Module]]:
    """A machine with trace-events-sample, a part of which is where the init of another module was; and that other module.

    The free pages depend on what has run. So the sample is loaded after one other module, after two, and so on.
    """
    for count in range(1, len(OTHERS) + 1):
        with booted_machine(arch) as machine:
            for name in (*OTHERS[:count], "trace-events-sample"):
                machine.run(f"insmod /lib/modules/{name}.ko")
            *others, sample = machine.kernel.modules
            for other in others:
                if other.init is not None and sample.core.overlaps(other.init):
                    yield machine, other
                    return
    pytest.fail("trace-events-sample lies elsewhere")


def test_memory_of_a_modules_init_is_another_modules_later(neighbours: tuple[Machine, Module]) -> None:
    machine, first = neighbours
    machine.tracefs.write("kprobe_events", "p:mine trace_events_sample:simple_thread_func")
    machine.tracefs.write("events/kprobes/enable", "1")
    machine.run(f"rmmod {first.name}; sleep 1.5")
    assert "mine: (simple_thread_func+0x" in machine.tracefs.read("trace")
