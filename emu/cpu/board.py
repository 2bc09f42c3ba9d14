# SPDX-License-Identifier: GPL-2.0-only
"""The board: RAM, CPUs that take turns on it, and time."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from emu.cpu import host_clock
from emu.cpu.arch import RESET_PAGE, CpuArch
from emu.cpu.callouts import Callouts, Handler
from emu.cpu.cpu import Cpu, CpuFault
from emu.cpu.far_memory import far_memory
from emu.cpu.heap import Heap
from emu.cpu.host_signals import Held
from emu.cpu.io_window import IoWindow
from emu.cpu.native import code_pages, cpu_records, forget, turns
from emu.cpu.native.cpu_records import ARGUMENT_COUNT, HOST_CALL_COUNT, HOST_CALL_REQUEST, NEVER, NO_REQUEST, STOP_REQUEST
from emu.cpu.python_handler import PythonHandler
from emu.cpu.shared_turns import shared_turns
from emu.cpu.timing import CACHES, STATIC
from emu.native.records import Values, Words, u64

if TYPE_CHECKING:
    from emu.cpu.timing.core_timing import CoreTiming

__all__ = ["Board"]

_SLOWEST, _FASTEST = 1_000_000, 100_000_000_000  # Hz: the range of the guest's clock arithmetic
_HEAP = 64 << 20  # bytes of address space for Unicorn's allocations per CPU, which use a twentieth of it
_TURN_SLICE = 50_000  # microseconds of host time for which the native loop may run without a break
_HandlerTable = Values[Callable[[cpu_records.Cpu, u64], None] | None]


class Board:
    """RAM shared by CPUs of one architecture.

    Args:
        arch: the architecture.
        cpus: the number of CPUs.
        memory: bytes of RAM, a multiple of the page size.
        quantum: how many cycles a CPU may run ahead of the next one.
        seed: varies the length of turns.
        frequency: of the CPUs, in Hz.
        timing: the timing model, one of TIMING_MODELS.
        cpu_model: the CPU modelled by `timing`; None: the architecture's first. The static model has none.

    Attributes:
        timing_model: the names of the timing model and of the CPU model, "" for none.
        timing: the CPUs' timing model; None: the static model.
        block_hook: the address of the function that CPUs call before each block.
        callouts: the host's functions for addresses at which blocks begin.
        record: the board's record, shared with native code (`native.cpu_records`).
        heap: the memory of Unicorn's data about the CPUs.
        io: the devices above RAM; None: the architecture's boards have none.
        on_write: called with (address, size) after each `write_code`.
        loop: runs turns, as `turns.run` does.
    """

    def __init__(
        self,
        arch: CpuArch,
        cpus: int,
        memory: int,
        quantum: int,
        seed: int,
        frequency: int,
        timing: str = STATIC,
        cpu_model: str | None = None,
    ) -> None:
        if not 1 <= cpus <= arch.max_cpus:
            raise ValueError(f"{cpus} CPUs: {arch.name} has 1 to {arch.max_cpus}")
        if not 1 <= quantum <= arch.longest_turn:
            raise ValueError(f"a quantum of {quantum} cycles: 1 to {arch.longest_turn} are possible")
        if not _SLOWEST <= frequency <= _FASTEST:
            raise ValueError(f"a frequency of {frequency} Hz: {_SLOWEST} to {_FASTEST} are possible")
        if arch.most_memory is not None and memory > arch.most_memory:
            raise ValueError(f"{memory} bytes of memory: at most {arch.most_memory >> 30} GiB are possible")
        self.timing_model = arch.timing_names(timing, cpu_model)
        host_clock.stop()
        self.arch, self.memory, self.frequency = arch, memory, frequency
        self.ram = far_memory(memory)
        self.ram_address = ctypes.addressof(ctypes.c_char.from_buffer(self.ram))
        self.heap = Heap(cpus * _HEAP)
        self.io = IoWindow(arch.io_window) if arch.io_window else None
        self.record = cpu_records.Board.allocate()
        self._host_calls = np.zeros(HOST_CALL_COUNT, np.uint64)
        self.callouts = Callouts(self.record, self._forget, lambda: self.calls_python, arch.native().listening is not None)
        self._static_timing = arch.timing()
        self.native_forget = forget.build(arch.name)
        self._python_handlers: list[PythonHandler] = []  # referenced by native code
        self._raised: BaseException | None = None  # an exception raised by one of them
        self._acting = self._python_calls = 0  # operations, and calls of Python under way
        self._ceiling: int | None = None
        self._reason = turns.TIME  # why the last run ended
        self.loop: Callable[[cpu_records.Board, int], int] = turns.run
        self.on_write: Callable[[int, int], None] = lambda address, size: None
        self.reset_page_table = 0
        self.ram[RESET_PAGE : RESET_PAGE + len(arch.reset_page)] = arch.reset_page
        record = self.record
        record.heap = self.heap.record
        record.ram, record.ram_size = self.ram_address, memory
        record.direct_start, record.kernel_start = arch.direct_map, arch.kernel_map
        record.decode = self.python_handler(self._decode_block)
        record.grow_callouts = self.python_handler(lambda cpu, argument: self.callouts.make_room(self.record.callouts.used))
        record.host_calls = _HandlerTable(self._host_calls.ctypes.data)
        record.quantum, record.longest_turn = quantum, arch.longest_turn
        record.random = _scramble(seed)
        record.cpu_count, record.page_count = cpus, memory >> code_pages.PAGE
        record.limit, record.fenced_code = NEVER, arch.fenced_code
        record.vector_start, record.vector_end = arch.vectors.start, arch.vectors.stop
        core = arch.core(self.timing_model.cpu_model) if self.timing_model.cpu_model else None
        record.known = arch.known_blocks(core)
        with_data = self.timing_model.timing == CACHES
        self.block_hook = (arch.timed_hooks(core, with_data) if core else arch.native()).block_hook.address
        self.cpus = [Cpu(self, index) for index in range(cpus)]
        self._cpu_table = np.array([cpu.record.address for cpu in self.cpus], np.uint64)
        record.cpus = Values[cpu_records.Cpu](self._cpu_table.ctypes.data)
        self._by_record = {cpu.record.address: cpu for cpu in self.cpus}
        self.timing: CoreTiming | None = None
        if core is not None:
            from emu.cpu.timing.core_timing import CoreTiming  # imported when needed

            self.timing = CoreTiming(self, core, with_data)

    def close(self) -> None:
        """Frees the memory. The board cannot be used afterwards."""
        for cpu in self.cpus:
            cpu.close()
        self.cpus.clear()
        self._by_record.clear()

    @property
    def current(self) -> Cpu:
        """The CPU whose turn it is or was last."""
        return self.cpus[self.record.current]

    @property
    def now(self) -> int:
        """The clock of the CPU that is furthest ahead, in cycles."""
        return max(cpu.cycles for cpu in self.cpus)

    def nanoseconds(self, cycles: int) -> int:
        """The duration of so many cycles, in nanoseconds."""
        return cycles * 1_000_000_000 // self.frequency

    def cycles(self, nanoseconds: int) -> int:
        """The number of cycles in so many nanoseconds."""
        return nanoseconds * self.frequency // 1_000_000_000

    # Running

    @contextmanager
    def acting(self) -> Iterator[None]:
        """A context for an operation that must end before the machine can be restored to another state."""
        self._acting += 1
        try:
            yield
        finally:
            self._acting -= 1

    @property
    def calls_python(self) -> bool:
        """Whether native code is waiting for a call of Python, so the machine cannot be run."""
        return self._python_calls > 0

    def _check_runs(self) -> None:
        if self.calls_python:
            raise RuntimeError("the machine is stopped: it has called a function and waits for it")

    @property
    def stands(self) -> bool:
        """Whether no operation is under way (see `acting`)."""
        return not self._acting

    @property
    def limit(self) -> int:
        """No CPU begins a turn at or after this time, in cycles."""
        return self.record.limit

    @limit.setter
    def limit(self, cycles: int) -> None:
        self.record.limit = min(cycles, int(NEVER) if self._ceiling is None else self._ceiling, int(NEVER))

    @property
    def ceiling(self) -> int | None:
        """The maximum of `limit`, in cycles; None: there is none."""
        return self._ceiling

    @ceiling.setter
    def ceiling(self, cycles: int | None) -> None:
        self._ceiling = cycles
        self.unlimited()

    @property
    def at_ceiling(self) -> bool:
        """Whether the last run ended because nothing can happen before the ceiling."""
        return self._ceiling is not None and self._reason == turns.LIMIT and self.limit == self._ceiling

    def sleep_until_limit(self) -> bool:
        """Moves the clocks of halted CPUs forward to the limit. Returns whether anything can still happen."""
        for cpu in self.cpus:
            if cpu.halted:
                cpu.wait_until(self.limit)
        return any(cpu.running and not (cpu.halted and cpu.next_event is None) for cpu in self.cpus)

    def unlimited(self) -> None:
        """Removes the limit."""
        self.limit = NEVER

    def run(self, on_host_call: Callable[[Cpu, int, list[int]], None]) -> bool:
        """Runs the CPUs until a host call that Python answers, or for about a twentieth of a second of host time.

        Args:
            on_host_call: called with (cpu, number, arguments). It must `answer` the CPU, now or later.

        Returns:
            False if nothing can happen before `limit`: every CPU sleeps.

        Raises:
            CpuFault: a CPU left RAM.
            Exception: raised by a Python handler or, at the end, by the handler of a host signal (KeyboardInterrupt).
        """
        self._check_runs()
        with self.acting(), Held():
            return self._run(on_host_call)

    def _run(self, on_host_call: Callable[[Cpu, int, list[int]], None]) -> bool:
        outcome = self.loop(self.record, _TURN_SLICE)
        reason = self._reason = outcome & 0xFF
        self._after_turn(outcome >> 8, on_host_call if reason == turns.REQUEST else None)
        return reason not in (turns.IDLE, turns.LIMIT)

    def share_interpreter(self) -> None:
        """Lets other Python threads run while CPUs execute. From then on, only one machine of the process may run at a time.

        The threads may call `end_turns`, and nothing else of a machine.
        """
        self.loop = shared_turns()

    def end_turns(self, wanted: bool) -> None:
        """Sets whether `run` returns after the current turn. This does not affect the guest."""
        self.record.wanted = wanted

    def _after_turn(self, error: int, on_host_call: Callable[[Cpu, int, list[int]], None] | None) -> None:
        """Raises what was raised during a turn, and Unicorn's `error`. Answers the CPU's host call; None: there is none."""
        cpu = self.current
        if self._raised is not None:
            raised, self._raised = self._raised, None
            cpu.record.request = NO_REQUEST
            raise raised
        if error:
            raise CpuFault(cpu, error)
        if on_host_call is None:
            return
        if cpu.record.request == HOST_CALL_REQUEST:
            arguments = [cpu.record.arguments[n] for n in range(ARGUMENT_COUNT)]
            on_host_call(cpu, cpu.record.host_call, arguments)
        else:
            cpu.record.request = NO_REQUEST

    def step(self, cpu: Cpu, on_host_call: Callable[[Cpu, int, list[int]], None]) -> bool:
        """Executes one instruction of one CPU, while all others stand still; see Cpu.step.

        A sleeping CPU first sleeps until its next interrupt.

        Returns:
            False if the CPU is off, or sleeps and nothing will wake it. Then nothing has happened.

        Raises: as `run`.
        """
        self._check_runs()
        with self.acting(), Held():
            now = turns.ready_at(cpu.record)
            if now == NEVER:
                return False
            cpu.wait_until(now)
            cpu.step()
            self._after_turn(0, on_host_call if cpu.record.request else None)
            return True

    def run_to(self, cpu: Cpu, places: Sequence[int], blocks: int, on_host_call: Callable[[Cpu, int, list[int]], None]) -> bool:
        """Runs one CPU, while all others stand still, until a block ends at one of the given virtual addresses.

        Returns:
            False if it does not get there: it sleeps, waits for an answer, or has executed `blocks` blocks.

        Raises: as `run`.
        """
        from emu.cpu.native import run_to  # imported when needed: it is compiled

        self._check_runs()
        there = np.array(places, np.uint64)
        with self.acting(), Held():
            while blocks > 0:
                outcome = run_to.run_to(self.record, cpu.record, Words(there.ctypes.data), len(there), blocks)
                reason = outcome & 0xFF
                blocks -= outcome >> 16
                self._after_turn(outcome >> 8 & 0xFF, on_host_call if reason == turns.REQUEST else None)
                if reason != turns.REQUEST:
                    return reason == run_to.ARRIVED
                if cpu.record.request:
                    break
            return False

    def turn(self, cpu: Cpu) -> None:
        """Gives one CPU a turn, whatever the others' clocks are (exact stepping).

        Raises:
            CpuFault: the CPU left RAM.
        """
        turns.begin_turn(self.record, cpu.record, cpu.cycles, NEVER)
        error = turns.enter(cpu.record)
        if error:
            raise CpuFault(cpu, error)

    def stop(self, cpu: Cpu) -> None:
        """Ends the CPU's turn at its next block and returns to Python. Also from inside a callback."""
        cpu.record.request = STOP_REQUEST
        cpu.record.deadline = 0

    # Code

    def write_code(self, address: int, data: bytes) -> None:
        """Writes instructions to RAM at a physical address. CPUs run old code until they `fetch_anew`, or their fence."""
        code_pages.will_change(self.record, address, len(data))
        self.ram[address : address + len(data)] = data
        self.on_write(address, len(data))
        if self.timing is not None:
            self.timing.written(address, len(data))

    def _forget(self, addresses: npt.NDArray[np.uint64]) -> None:
        """Makes all CPUs drop their translations of places in code, given by virtual addresses."""
        places = np.array([place for one in addresses.tolist() if (place := self.place(one)) is not None], np.uint64)
        if len(places):
            for cpu in self.cpus:
                cpu.forget(np.stack([places, places + np.uint64(1)], axis=1))

    def place(self, address: int) -> int | None:
        """The RAM address of code at a virtual address; None if it is not mapped."""
        at = address - self.arch.kernel_map
        return at if 0 <= at < self.memory else self.cpus[0].translate(address)

    def flush_page(self, address: int) -> None:
        """Makes every CPU see the code of a physical page that has got different code."""
        address -= address % self.arch.page_size
        for cpu in self.cpus:
            cpu.fetch_anew(np.array([[address, address + self.arch.page_size]], np.uint64))

    # Host functions

    def provide_host_call(self, number: int, function: Handler) -> None:
        """Answers a host call natively: `function` is called with the CPU and the number."""
        self.record.host_calls[number] = function

    def python_handler(self, function: Callable[[Cpu, int], None]) -> PythonHandler:
        """A native function that calls Python with (cpu, second argument).

        If it raises, the machine stops before its next block, and `run` raises the exception.
        """

        def call(record: int, argument: int) -> None:
            cpu = self._by_record[record]
            self._python_calls += 1
            try:
                function(cpu, argument)
            except BaseException as error:
                self.fail(error)
            finally:
                self._python_calls -= 1

        handler = PythonHandler(call)
        self._python_handlers.append(handler)
        return handler

    def fail(self, error: BaseException) -> None:
        """Makes the machine stop before its next block, and `run` raise the error. For callbacks from native code."""
        self._raised = self._raised or error
        self.stop(self.current)

    def _decode_block(self, cpu: Cpu, place: int) -> None:
        """Stores the cost of a block, on native code's request. `place`: the address of its record."""
        block, address = cpu_records.Block(place), cpu.record.block
        code = cpu.code_of_block(address, block.place, block.size)
        cost = self._static_timing.block(code, address)
        block.cycles, block.instructions = cost.stored, cost.instructions
        if self.timing is not None:
            block.summary = self.timing.block(code, address)


def _scramble(seed: int) -> int:
    """A generator state from a seed (splitmix64). It is never 0."""
    x = (seed + 1) * 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF_FFFF_FFFF
    x = (x ^ x >> 30) * 0xBF58_476D_1CE4_E5B9 & 0xFFFF_FFFF_FFFF_FFFF
    return (x ^ x >> 27) or 1
