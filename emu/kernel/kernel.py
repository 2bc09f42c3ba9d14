# SPDX-License-Identifier: GPL-2.0-only
"""A guest kernel on a board: booting, running, and ending."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu, CpuFault
from emu.cpu.devices import provide_devices
from emu.cpu.journal import Journal
from emu.cpu.ramdisk import RamDisk
from emu.kernel import boot
from emu.kernel.arch import KernelArch
from emu.kernel.block import BlockDevice
from emu.kernel.commands import Commands
from emu.kernel.console import Console
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.kernel.files.file_server import FileServer
from emu.kernel.host_calls import HostCalls, host_call, string
from emu.kernel.image import Image
from emu.kernel.kernel_log import KernelLog
from emu.kernel.kmmio import Kmmio
from emu.kernel.limits import LimitReached, Limits
from emu.kernel.memory import GuestMemory
from emu.kernel.module_files import ModuleFiles
from emu.kernel.modules import Modules
from emu.kernel.reports import Reports
from emu.kernel.symbols import Symbols
from emu.kernel.tasks import Tasks
from emu.kernel.tracing import Tracing, TracingCalls
from emu.kernel.tracing_requests import TracingRequestCalls, TracingRequests
from emu.kernel.upcalls import Upcalls
from emu.kernel.work import Work

__all__ = ["Kernel", "KernelView"]


class Kernel:
    """A kernel image on a board. First `load` it, then `start` it, then `run` it repeatedly.

    Args:
        board: the board, with its CPUs off.
        arch: the architecture's support for kernels.
        image: the kernel.
        console: called with what the guest writes.
        warn: called with the guest kernel's warnings, one text each.
        disk: the RAM disk.

    Attributes:
        arch: the architecture.
        hot_areas: the address of each CPU's struct pcpu_hot, by CPU index. CPUs in it can take upcalls.
        code_span: bytes from the kernel mapping's beginning in which functions of the kernel and of modules may be.
        reader_vector: the interrupt that wakes tasks that read trace_pipe.
        host_calls: answers the guest's host calls; made by `start`.
        reports: reports where the kernel is; made by `start`.
    """

    def __init__(
        self, board: Board, arch: KernelArch, image: Image, console: Console, warn: Callable[[str], None], disk: RamDisk
    ) -> None:
        self.board = board
        self.image = image
        self.console = console
        self.memory = GuestMemory(board, image)
        self.modules = Modules(self.memory)
        self.module_files = ModuleFiles()
        self.symbols = Symbols(image, self.modules)
        self.hot_areas: dict[int, int] = {}
        self.tasks = Tasks(self.memory, self.hot_areas)
        self.upcalls = Upcalls(self.memory, len(board.cpus))
        self.commands = Commands(image, self.device_interrupt)
        self.work = Work(self.memory, self.tasks, self._work_asked, self._work_ended)
        self.log = KernelLog(self.work)
        self.file_server = FileServer(board, self.memory, self.log)
        self.limits = Limits(board)
        self.arch = arch
        self.code_span = board.memory
        self.reader_vector = image.constant("HOST_DEVICE_VECTOR")
        self._warn = warn
        self._block, self._disk = BlockDevice(board, self.memory, disk), disk
        self._ended: Exception | None = None
        provide_devices(
            board,
            timer=image.constant("HC_TIMER_SET"),
            ipi=image.constant("HC_IPI"),
            stall=image.constant("HC_STALL_UNTIL"),
            timer_vector=image.constant("LOCAL_TIMER_VECTOR"),
            halt=image.constant("HC_HALT"),
            relax=image.constant("HC_RELAX"),
            nmi_timer=image.constant("HC_NMI_TIMER_SET"),
        )

    # Booting

    def load(self, initramfs: bytes, command_line: str, seed: int) -> None:
        """Puts the kernel, its initramfs and its parameters into RAM.

        Raises:
            BadImage: they do not fit.
        """
        self.module_files.initramfs = initramfs
        self._parameters = boot.load(self.board, self.memory, self.arch.boot_params, initramfs, command_line, seed)
        if self.arch.page_table is not None:
            self.board.reset_page_table = self.memory.physical(self.image.symbol(self.arch.page_table))

    def start(self, time: int, tracing: Tracing, requests: TracingRequests) -> None:
        """Switches CPU 0 on, with its clock at `time`. The kernel then reports to `tracing` and sends requests to `requests`."""
        self._tracing = tracing
        self.reports = Reports(self.arch, self.memory, self.tasks, self.symbols, tracing, self._warn)
        self.host_calls = HostCalls(
            self.image,
            (
                self, self.console, self.commands, self.upcalls, self.file_server, self._block, self.reports, self.work,
                TracingCalls(tracing, self.modules), TracingRequestCalls(requests), Kmmio(self.arch, self.memory),
            ),
        )
        self.board.cpus[0].start(self.image.entry, self._parameters, time)

    @host_call
    def cpu_start(self, cpu: Cpu, index: int, entry: int, argument: int) -> int:
        if index >= len(self.board.cpus) or self.board.cpus[index].running:
            return -errno.EINVAL
        self.board.cpus[index].start(entry, argument, cpu.cycles)
        return 0

    @host_call
    def cpu_online(self, cpu: Cpu, hot_area: int) -> int:
        self.hot_areas[cpu.index] = hot_area
        self._tracing.cpu_online(cpu, hot_area)
        return 0

    # Running

    @property
    def acting_cpu(self) -> Cpu:
        """The CPU whose task is reading or writing a file.

        If the host is, it is the CPU whose clock is furthest ahead: the host's writes come after everything else.
        """
        return self.calling_cpu or max(self.board.cpus, key=lambda cpu: cpu.cycles)

    @property
    def calling_cpu(self) -> Cpu | None:
        """The CPU whose task is reading or writing a file; None: the host does."""
        return self.file_server.caller

    def next_wakeup(self) -> int:
        """The earliest cycle at which a reader that was woken in vain is woken again."""
        return self.file_server.after_pause()

    def is_dumping(self, cpu: Cpu) -> bool:
        """Whether the CPU prints a dump of the trace buffers: the thread that does the host's work does that."""
        return self.work.is_thread_of(cpu)

    @property
    def release(self) -> str:
        """Its version, as uname shows it."""
        return self.memory.text(self.image.symbol("init_uts_ns"), "new_utsname.release")

    @property
    def boot_time(self) -> int:
        """The seconds of its wall clock at boot, since 1970."""
        return self.image.constant("WALL_CLOCK_AT_BOOT")

    def symbol_lines(self) -> Iterator[tuple[int, str, str, str]]:
        """The lines of /proc/kallsyms: address, type, name and module ("" for the kernel)."""
        yield from ((address, kind, name, "") for address, kind, name in self.image.kallsyms)
        for module, one in self.modules.symbols():
            yield one.address, "t" if module.function_at(one.address) else "d", one.name, module.name

    def address_of(self, name: str) -> int:
        """The address of a symbol; 0 if the image does not have it."""
        return self.image.symbols.get(name, 0)

    def run(self) -> bool:
        """Runs the machine for a moment (see Board.run).

        Returns:
            False if every CPU sleeps and nothing will wake one.

        Raises:
            GuestPanic: the kernel panicked, or a CPU left RAM.
            PoweredOff: the guest switched the machine off.
            LimitReached: one of `limits` has been reached.
        """
        busy = self._execute(lambda: self.board.run(self.host_calls.answer))
        if (reached := self.limits.reached(busy=busy)) is not None:
            raise LimitReached(self.where(reached))
        return busy

    def step(self, cpu: Cpu) -> bool:
        """Executes one instruction of one CPU (see Board.step).

        Returns:
            False if the CPU is off, or sleeps and nothing will wake it.

        Raises:
            GuestPanic, PoweredOff: as `run`.
        """
        return self._execute(lambda: self.board.step(cpu, self.host_calls.answer))

    def run_to(self, cpu: Cpu, places: Sequence[int], blocks: int) -> bool:
        """Runs one CPU until a block ends at one of the given addresses (see Board.run_to).

        Returns:
            False if the CPU does not reach them.

        Raises:
            GuestPanic, PoweredOff: as `run`.
        """
        return self._execute(lambda: self.board.run_to(cpu, places, blocks, self.host_calls.answer))

    def _execute(self, execute: Callable[[], bool]) -> bool:
        """Runs the board, unless the kernel has ended. If the kernel has ended or ends now, raises the way it ended."""
        answer = False
        if self._ended is None:
            try:
                answer = execute()
            except CpuFault as fault:
                self.panicked(fault.cpu, str(fault), 0)
        if self._ended is not None:
            raise self._ended
        return answer

    def where(self, what: str) -> str:
        """A sentence, followed by what each CPU executes."""
        return "\n".join([what, *self.reports.cpus(self.board.cpus)])

    def keep(self, journal: Journal) -> Sequence[object]:
        """From now on, a journal has what the guest does outside of the machine. Returns what is not part of the machine."""
        self._disk.journal = journal
        return self.file_server.keep(journal)

    def device_interrupt(self) -> None:
        """Tells the guest that a command or console input is waiting."""
        self.board.cpus[0].raise_interrupt(self.reader_vector, self.board.now)

    def _work_asked(self, *, again: bool) -> None:
        self.file_server.changed(again=again)

    def _work_ended(self) -> None:
        self.file_server.done()

    @host_call
    def flush_icache_page(self, cpu: Cpu, address: int) -> int:
        if address >= self.board.memory:
            return -errno.EINVAL
        self.board.flush_page(address)
        return 0

    # Endings

    @host_call
    def power_off(self, cpu: Cpu, status: int) -> None:
        self._end(PoweredOff(status & 0xFF))

    @host_call
    def panic(self, cpu: Cpu, message: int, registers: int) -> None:
        self.panicked(cpu, string(cpu, message), registers)

    def panicked(self, cpu: Cpu, message: str, registers: int) -> None:
        """Ends the run with a report. `registers`: the address of a struct pt_regs; 0: the CPU's own registers."""
        report = self.reports.panic(cpu, message, registers)
        if console := self.console.last_lines:
            report = "\n".join([report, "last console lines:", *(f"  {line}" for line in console)])
        self._end(GuestPanic(report))

    def _end(self, how: Exception) -> None:
        self._ended = how
        self.work.give_up()


class KernelView:
    """What is known of the kernel that runs on a CPU (see CpuView)."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def activity(self, cpu: Cpu) -> str:
        return self._kernel.reports.activity(cpu)

    def describe(self, address: int) -> str:
        return self._kernel.symbols.describe(address)

    def function_at(self, address: int) -> int | None:
        found = self._kernel.symbols.function_at(address)
        return None if found is None else found[0].address

    def read(self, cpu: Cpu, address: int, size: int) -> bytes:
        return (cpu.read if cpu.in_user_mode else self._kernel.memory.read)(address, size)
