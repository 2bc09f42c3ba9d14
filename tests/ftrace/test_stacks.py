# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces are the calls that were really under way."""

from __future__ import annotations

import numpy as np
import pytest

from emu.ftrace.events import KERNEL_STACK, EventType
from emu.ftrace.trace_array import TraceArray
from emu.kernel.image import Symbol
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.witness_stacks import StackWitness

# The witness logs at the label at which an entry is recorded: where sites call, and where events hand over their entries.
FUNCTION, EVENT = "ftrace_caller", "trace_event_buffer_commit"
GRAPH = {"x86_64": "ftrace_graph_caller", "sparc64": "prepare_ftrace_return"}

BUSY = "ls /bin | sed s/[aeiou]/z/g > /dev/null; insmod /lib/modules/sample_printk.ko; rmmod sample_printk; busy {} 1"
NMIS = 200


def kernel_stacks(array: TraceArray, cpu: int) -> list[tuple[int, ...]]:
    """The addresses of the stacks in a CPU's ring buffer."""
    ring = array.recorder.rings[cpu]
    assert ring.overrun == ring.dropped_events == 0
    events = ring.unread()
    heads, memory = events.entries(KERNEL_STACK), events.words.reshape(-1)
    found = []
    for at, kind, count in zip(events.offset.tolist(), heads["type"].tolist(), heads["size"].tolist(), strict=True):
        if kind == EventType.KERNEL_STACK:
            start = (at + KERNEL_STACK.itemsize) // 4
            found.append(tuple(memory[start : start + 2 * count].view(np.uint64).tolist()))
    return found


class Frames:
    """Finds the functions of a stack's addresses. What a function does far from its body (NAME.cold) is the function's, too."""

    def __init__(self, machine: Machine) -> None:
        self._x86 = machine.board.arch.name == "x86_64"
        self._function_at = machine.kernel.symbols.function_at
        self._memory = machine.kernel.memory
        image = machine.kernel.image
        self._first_return = image.symbol("ret_from_fork") - machine.ftrace.arch.return_offset
        self._bodies = {function.name: function for function in image.functions}
        self._entry_code = range(image.symbol("__entry_text_start"), image.symbol("__entry_text_end"))

    def functions(self, stack: tuple[int, ...]) -> list[Symbol]:
        """The function of each address. All are code, and each is of a call, or of what entry code has interrupted.

        An x86-64 return address is behind its call, and so perhaps at the next function; but what has been interrupted goes on at
        the address itself.
        """
        found, interrupted = [], False
        for address in stack:
            named = self._function_at(address if interrupted or not self._x86 else address - 1)
            assert named is not None, f"{address:#x} is no code"
            function, module = named
            assert interrupted or module or self._is_of_call(address), f"{address:#x} is of no call"
            interrupted = function.address in self._entry_code
            found.append(self._bodies[function.name.removesuffix(".cold")] if function.name.endswith(".cold") else function)
        return found

    def _is_of_call(self, address: int) -> bool:
        """Whether an address is a call, on x86-64 behind one; or a new task has it as where its first switch returns to."""
        if address == self._first_return:
            return True
        if self._x86:
            before = self._memory.read(address - 7, 7)
            indirect = any(before[-n] == 0xFF and before[1 - n] >> 3 & 7 == 2 for n in (2, 3, 4, 6, 7))
            return before[-5] == 0xE8 or indirect
        instruction = self._memory.read_word(address, 4)
        return instruction >> 30 == 1 or instruction & 0xC1F8_0000 == 0x81C0_0000


@pytest.mark.parametrize("graph", [False, True], ids=["function", "beside-function_graph"])
def test_stacks_are_what_the_witness_saw(arch: str, graph: bool) -> None:
    """Frame by frame, for functions with a site: the witness knows no others. Of the others each address must be of a call.

    Of tasks that were in the kernel when the witness came, and of idle tasks, the witness knows the innermost calls only.
    """
    cpus = FACTS[arch].cpus[1]
    with Machine(arch=arch, cpus=cpus, seed=7) as machine:
        tracefs = machine.tracefs
        witness = StackWitness(machine, GRAPH[arch] if graph else FUNCTION, EVENT)
        tracefs.write("tracing_on", "0")
        tracefs.mkdir("instances/stacks")
        array = machine.trace_array.instances["stacks"]
        if graph:
            tracefs.write("current_tracer", "function_graph")
        for name, value in (
            ("tracing_on", "0"), ("buffer_size_kb", "60000"), ("current_tracer", "function"), ("options/func_stack_trace", "1"),
            ("options/stacktrace", "1"), ("set_event", "sched irq timer kmem"),
        ):  # fmt: skip
            tracefs.write(f"instances/stacks/{name}", value)
        machine.run("true")
        machine.advance(20_000_000)  # no CPU is in the middle of a call
        tracefs.write("tracing_on", "1")
        tracefs.write("instances/stacks/tracing_on", "1")
        witness.on = True
        machine.run(f"({BUSY.format(cpus)}) &")
        for n in range(NMIS):
            machine.inject_nmi(n % cpus)
            machine.advance(20_011)
        machine.run("wait")
        machine.advance(20_000_000)
        witness.on = False
        tracefs.write("instances/stacks/tracing_on", "0")

        frames = Frames(machine)
        compared = whole = 0
        names: set[str] = set()
        for cpu in range(cpus):
            recorded, seen = kernel_stacks(array, cpu), witness.stacks(cpu)
            assert len(recorded) == len(seen)
            known: dict[tuple[int, ...], tuple[int, ...]] = {}
            for stack, truth in zip(recorded, seen, strict=True):
                if stack not in known:
                    functions = frames.functions(stack)
                    known[stack] = tuple(site for function in functions if (site := witness.site_of(function.address)))
                    names.update(function.name for function in functions)
                    assert (truth.label == EVENT) == functions[0].name.startswith("trace_event_raw_event_")
                sites = known[stack] if truth.whole else known[stack][: len(truth.sites)]
                assert sites == truth.sites, [machine.kernel.symbols.describe(address) for address in stack]
                whole += truth.whole
            compared += len(seen)
        assert compared > 10_000
        assert whole > compared / 2
        assert names >= {"nmi_handle", "handle_mm_fault", "sample_printk_init", "__do_softirq", "run_timer_softirq"}
        assert machine.warnings == []
