# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces match the calls that were really active."""

from __future__ import annotations

import ctypes
import functools

import numpy as np
import pytest
import unicorn

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.entries import KERNEL_STACK, EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_values import STACK_LIMIT
from emu.kernel.image import Symbol
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.witness_stacks import StackWitness

# The witness logs at the label where an entry is recorded: the target of call sites, and where events commit their entries.
FUNCTION, EVENT = "ftrace_caller", "trace_event_buffer_commit"
GRAPH = {"x86_64": "ftrace_graph_caller", "sparc64": "prepare_ftrace_return", "riscv64": "ftrace_graph_caller"}

MODULE = "insmod /lib/modules/sample_printk.ko; rmmod sample_printk"
BUSY = f"ls /bin | sed s/[aeiou]/z/g > /dev/null; {MODULE}; ls /proc /bin > /dev/null; busy {{}} 1"
NMIS = 200
TRACED = ("nmi_handle", "run_timer_softirq", "handle_mm_fault", "vfs_write", "schedule")  # their stacks are compared with reports
# Functions that are active when those stacks are recorded, and others.
RETURNING = (
    "nmi_handle", "schedule", "vfs_write", "ksys_write", "handle_mm_fault", "do_user_addr_fault", "do_wait", "do_mmap",
    "load_elf_binary", "path_openat", "kmem_cache_alloc", "_raw_spin_lock", "clear_user", "load_module", "do_exit",
)  # fmt: skip


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
    """Finds the functions of a stack's addresses. Code far from a function's body (NAME.cold) belongs to the function."""

    def __init__(self, machine: Machine) -> None:
        self._arch = machine.board.arch.name
        self._function_at = machine.kernel.symbols.function_at
        self._memory = machine.kernel.memory
        image = machine.kernel.image
        self._first_return = image.symbol("ret_from_fork") - machine.ftrace.arch.return_offset
        self._bodies = {function.name: function for function in image.functions}
        self._entry_code = range(image.symbol("__entry_text_start"), image.symbol("__entry_text_end"))

    def functions(self, stack: tuple[int, ...]) -> list[Symbol]:
        """The function of each address. All must be code, and each must belong to a call, or be interrupted by entry code.

        A return address is behind its call, except on SPARC V9, and so possibly in the next function; but an interrupted function
        continues at the address itself.
        """
        found, interrupted = [], False
        for address in stack:
            named = self._function_at(address if interrupted or self._arch == "sparc64" else address - 1)
            assert named is not None, f"{address:#x} is no code"
            function, module = named
            assert interrupted or module or self._is_of_call(address), f"{address:#x} is of no call"
            interrupted = function.address in self._entry_code
            found.append(self._bodies[function.name.removesuffix(".cold")] if function.name.endswith(".cold") else function)
        return found

    def _is_of_call(self, address: int) -> bool:
        """Whether an address is behind a call, on SPARC V9 a call; or the address to which a new task's first switch returns."""
        if address == self._first_return:
            return True
        if self._arch == "riscv64":
            word, short = (self._memory.read_word(address - size, size) for size in (4, 2))
            links = word & 0x7F in (0x67, 0x6F) and word >> 7 & 31 in (1, 5)
            return links or (short & 0xF07F == 0x9002 and short != 0x9002)
        if self._arch == "x86_64":
            before = self._memory.read(address - 7, 7)
            indirect = any(before[-n] == 0xFF and before[1 - n] >> 3 & 7 == 2 for n in (2, 3, 4, 6, 7))
            return before[-5] == 0xE8 or indirect
        instruction = self._memory.read_word(address, 4)
        return instruction >> 30 == 1 or instruction & 0xC1F8_0000 == 0x81C0_0000


@pytest.mark.parametrize("graph", [False, True], ids=["function", "beside-function_graph"])
def test_stacks_are_what_the_witness_saw(arch: str, graph: bool) -> None:
    """Frame by frame, for functions with a site: the witness knows no others. For the others, each address must belong to a call.

    For idle tasks, and tasks that were in the kernel at the witness's start, the witness knows only the innermost calls.
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
            # raw_syscalls has the same stacks as syscalls
            ("options/stacktrace", "1"), ("set_event", "*:*"), ("events/syscalls/enable", "0"),
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
        compared = events = whole = 0
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
            events += sum(truth.label == EVENT for truth in seen)
        assert events > 10_000
        assert whole > compared / 2
        assert names >= {"nmi_handle", "handle_mm_fault", "sample_printk_init", "__do_softirq", "run_timer_softirq"}
        assert machine.warnings == []


@pytest.mark.parametrize(
    ("graph", "probes"),
    [(False, False), (False, True), (True, True)],
    ids=["function", "beside-return-probes", "beside-function_graph-and-return-probes"],
)
def test_stacks_are_the_backtraces_of_reports(arch: str, graph: bool, probes: bool) -> None:
    """`KernelArch.callers` gives the same for panics as native code records: with NMIs, interrupts, page faults, a module."""
    with Machine(arch=arch, cpus=1, seed=3) as machine:
        kernel, tracefs, (cpu,) = machine.kernel, machine.tracefs, machine.board.cpus
        tracefs.mkdir("instances/stacks")
        array = machine.trace_array.instances["stacks"]
        tracefs.write("instances/stacks/set_ftrace_filter", " ".join(TRACED))
        if graph:
            tracefs.write("current_tracer", "function_graph")
        tracefs.write("instances/stacks/current_tracer", "function")
        tracefs.write("instances/stacks/options/func_stack_trace", "1")
        if probes:
            tracefs.write("kprobe_events", "".join(f"r:{name} {name}\n" for name in RETURNING))
            tracefs.write("events/kprobes/enable", "1")
        label = kernel.image.symbol(GRAPH[arch] if graph else FUNCTION)
        before = int(label == kernel.image.symbols.get("prepare_ftrace_return"))  # calls at the label that are not in the stack
        told: list[tuple[int, ...]] = []

        def tell(uc: unicorn.Uc, at: int, size: int, data: None) -> None:
            registers = {**kernel.arch.registers(kernel.memory, cpu, 0), "ip": label}
            real, found = functools.partial(machine._running.reports.resolve_return, kernel.tasks.current(cpu)), []
            for caller in kernel.arch.callers(kernel.memory, cpu, registers, real):
                if not kernel.symbols.is_code(caller):
                    break
                if len(found) == before and kernel.symbols.describe(caller).split("+")[0] not in TRACED:
                    return  # other functions reach the label, too
                found.append(caller)
            told.append(tuple(found[before:]))

        cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, tell, None, label, label)
        cpu.uc.ctl_flush_tb()
        machine.run("(ls /bin > /dev/null; insmod /lib/modules/sample_printk.ko; rmmod sample_printk) &")
        for _ in range(50):
            machine.inject_nmi(0)
            machine.advance(40_009)
        machine.run("wait")
        recorded = set(kernel_stacks(array, 0))
        if not graph and not probes:
            assert len(told) == len(kernel_stacks(array, 0))
        assert recorded
        assert recorded - set(told) == set()
        assert {len(stack) > 6 for stack in recorded} == {True, False}


def test_damaged_stacks_end_somewhere(arch: str) -> None:
    """Whatever registers and stacks contain, recorded stacks have a limited number of addresses, all in the kernel mapping."""
    with booted_machine(arch, cpus=1) as machine:
        array, (cpu,) = machine.trace_array, machine.board.cpus
        machine.tracefs.write("options/func_stack_trace", "1")
        machine.tracefs.write("buffer_size_kb", "20000")
        machine.run("true")
        start, count = (Env.regbase.offset, 8 * 16) if arch == "sparc64" else (0, 32 if arch == "riscv64" else 16)
        registers = np.ctypeslib.as_array((ctypes.c_uint64 * count).from_address(cpu.env + start))
        record_stack = array.recorder.globals.stacks.callbacks().function_stack.address
        callback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)(record_stack)
        board, rng, before = machine.board.arch, np.random.default_rng(1), registers.copy()
        end = board.kernel_map + machine.board.memory
        for n in range(2_000):
            near = rng.choice(np.array([0, board.direct_map, board.kernel_map, end], np.uint64))
            bits = int(rng.integers(1, 63))
            offsets = rng.integers(0, 1 << bits, count, np.uint64) - np.uint64((1 << bits) // 2 * (n % 2))
            registers[:] = np.where(rng.random(count) < 0.3, before, near + (offsets & ~np.uint64(n % 3)))
            if arch == "x86_64" and n % 2:  # some words on the stack are return addresses
                registers[GENERAL_REGISTERS.index("sp")] = before[GENERAL_REGISTERS.index("sp")] + np.uint64(8 * (n % 60))
            callback(cpu.record.address, cpu.record.callout)
        registers[:] = before
        recorded = kernel_stacks(array, 0)
        assert recorded
        for stack in recorded:
            assert len(stack) <= STACK_LIMIT
            assert all(board.kernel_map <= address < end for address in stack)
        assert machine.run("echo alive").output == b"alive\n"


def test_only_the_function_tracer_has_the_option(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_write")
        with pytest.raises(TraceError, match="has no option 'func_stack_trace'"):
            machine.tracefs.write("trace_options", "func_stack_trace")
        machine.tracefs.write("current_tracer", "function")
        machine.run("echo none")
        assert kernel_stacks(machine.trace_array, 0) == []
        machine.tracefs.write("trace_options", "func_stack_trace")
        assert "\nfunc_stack_trace\n" in machine.tracefs.read("trace_options")
        machine.run("echo some")
        (*_, last) = kernel_stacks(machine.trace_array, 0)
        innermost = [machine.kernel.image.function_at(address - 1).name for address in last][:2]
        assert innermost == ["vfs_write", "ksys_write"]
        machine.tracefs.write("trace_options", "nofunc_stack_trace")
        machine.tracefs.write("trace", "")
        machine.run("echo none")
        assert kernel_stacks(machine.trace_array, 0) == []
