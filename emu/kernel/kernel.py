# SPDX-License-Identifier: GPL-2.0-only
"""A guest kernel on a board: booting it, answering its host calls, running commands in it."""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Callable

from emu.cpu.board import Board, CpuFault
from emu.cpu.cpu import Cpu
from emu.cpu.ramdisk import RamDisk
from emu.kernel import backtrace, boot
from emu.kernel.arch import KernelArch
from emu.kernel.console import Console
from emu.kernel.file_server import FileServer
from emu.kernel.host_calls import HANDLERS, Handler
from emu.kernel.image import Image
from emu.kernel.limits import Limits
from emu.kernel.modules import Module, Modules
from emu.kernel.tasks import Tasks
from emu.kernel.upcalls import Upcalls

__all__ = ["BadCommand", "GuestPanic", "Kernel", "PoweredOff", "exit_status"]


_LONGEST_COMMAND = 4095  # bytes with the final NUL: what init reads at once (firmware/user/bin/init.c)


class BadCommand(ValueError):
    """A command line that cannot be given to the guest."""


class GuestPanic(RuntimeError):
    """The guest kernel cannot go on; the message has registers, backtrace and the last console lines."""


class PoweredOff(Exception):
    """The guest switched the machine off."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the guest powered off with status {status}")
        self.status = status


class Kernel:
    """A kernel image on a board.

    Args:
        board: with its CPUs off.
        arch: kernels of its architecture.
        image: the kernel.
        console: gets what the guest writes.
        warn: gets the guest kernel's warnings, one text each.
        disk: the RAM disk.
    """

    def __init__(
        self, board: Board, arch: KernelArch, image: Image, console: Console, warn: Callable[[str], None], disk: RamDisk
    ) -> None:
        self.board = board
        self.arch = arch
        self.image = image
        self.console = console
        self.warn = warn
        self.disk = disk
        self.on_breakpoint: Callable[[Cpu, int], bool] = lambda cpu, registers: False
        self.on_cpu_online: Callable[[Cpu, int], None] = lambda cpu, hot_area: None
        self.resolve_return: backtrace.ResolveReturn = lambda task, frame, address: address
        self.on_trace_printk: Callable[[Cpu, int, bytes, int], None] = lambda cpu, ip, text, disabled: None
        self.on_module: Callable[[Module], None] = lambda module: None  # before anything of it is executed
        # What ftrace_enabled is, after it has been set (None: it is only asked for); None while that cannot be done.
        self.on_ftrace_enabled: Callable[[bool | None], bool | None] = lambda enabled: True
        self.on_module_enable: Callable[[Module], bool] = lambda module: True  # these say whether it could be done now
        self.on_module_free: Callable[[Module, range | None], bool] = lambda module, part: True  # None: all of it
        self.modules = Modules(self)
        self.hot_areas: dict[int, int] = {}  # by CPU index: address of its struct pcpu_hot
        self.upcalls = Upcalls(image.offset("UPCALL_VECTOR"), len(board.cpus))
        self.tasks = Tasks(self)
        self.file_server = FileServer(self)
        self._commands: deque[bytes] = deque()
        self._status: int | None = None
        self._command_runs = False
        self._giving_up = False
        self._handlers: dict[int, Handler] = {image.offset(name): handler for name, handler in HANDLERS.items()}
        self._ended: Exception | None = None
        self.limits = Limits(board)
        board.provide_devices(
            timer=image.offset("HC_TIMER_SET"),
            ipi=image.offset("HC_IPI"),
            stall=image.offset("HC_STALL_UNTIL"),
            timer_vector=image.offset("LOCAL_TIMER_VECTOR"),
            halt=image.offset("HC_HALT") if "HC_HALT" in image.layout else None,
            relax=image.offset("HC_RELAX") if "HC_RELAX" in image.layout else None,
            nmi_timer=image.offset("HC_NMI_TIMER_SET"),
        )

    # Memory, by the kernel's own addresses

    def physical(self, address: int) -> int:
        """The RAM address behind an address of the direct map or the kernel mapping.

        Raises:
            LookupError: it is in neither.
        """
        for base in (self.board.arch.kernel_map, self.board.arch.direct_map):
            if base <= address < base + self.board.memory:
                return address - base
        raise LookupError(f"address {address:#x} is not the kernel's")

    def host_address(self, address: int) -> int:
        """The host address of an address in the direct map or the kernel mapping."""
        return self.board.ram_address + self.physical(address)

    def read_word(self, address: int, size: int = 8) -> int:
        """An unsigned number of the kernel's memory."""
        physical = self.physical(address)
        return int.from_bytes(self.board.ram[physical : physical + size], self.board.arch.byte_order)

    def write_word(self, address: int, value: int, size: int = 8) -> None:
        """Stores a number in the kernel's memory (not code)."""
        physical = self.physical(address)
        self.board.ram[physical : physical + size] = (value & (1 << 8 * size) - 1).to_bytes(
            size, self.board.arch.byte_order
        )

    def member(self, address: int, name: str) -> int:
        """A structure's member, by its name in the layout table: member(task, "task_struct.pid")."""
        return self.read_word(address + self.image.offset(name), self.image.size(name))

    def set_member(self, address: int, name: str, value: int) -> None:
        """Stores a structure's member."""
        self.write_word(address + self.image.offset(name), value, self.image.size(name))

    def is_code(self, address: int) -> bool:
        """Whether it is in a function of the kernel or of a module."""
        return self.image.function_at(address) is not None or self.modules.find(address) is not None

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, with ` [module]` if it is a module's, or the bare address."""
        function, module = self.image.function_at(address), ""
        if function is None:
            found = self.modules.find(address)
            if found is None:
                return f"{address:#x}"
            function, module = found[1], f" [{found[0].name}]"
        return f"{function.name}+{address - function.address:#x}/{function.size:#x}{module}"

    # Running

    def load(self, initramfs: bytes, command_line: str, seed: int) -> None:
        """Puts the kernel, its initramfs and its parameters into RAM.

        Raises:
            BadImage: they do not fit.
        """
        self._parameters = boot.load(self.board, self.image, self.arch.boot_params, initramfs, command_line, seed)
        if self.arch.page_table is not None:
            self.board.reset_page_table = self.physical(self.image.symbol(self.arch.page_table))

    def start(self, time: int) -> None:
        """Switches CPU 0 on, its clock at `time`; it runs when the machine does."""
        self.board.cpus[0].start(self.image.entry, self._parameters, time)

    def run(self) -> bool:
        """Runs the machine for a moment (see Board.run).

        Returns:
            False if every CPU sleeps with nothing to wake it.

        Raises:
            GuestPanic: the kernel panicked, or a CPU did what it cannot do.
            PoweredOff: the guest ended the machine.
            LimitReached: it may not run for longer.
        """
        if self._ended is not None:
            raise self._ended
        try:
            busy = self.board.run(self._host_call)
        except CpuFault as fault:
            self.panicked(fault.cpu, str(fault), 0)
            busy = False
        if self._ended is not None:
            raise self._ended
        self.limits.check(busy=busy)
        return busy

    def command(self, line: str, pump: Callable[[bool], bool], check: Callable[[], None]) -> int:
        """Has init run a shell command line, and returns its wait status.

        Args:
            line: for `sh -c`.
            pump: feeds console input; called with whether there is nothing else to wait for, returns False at its end.
            check: called after every stretch of running.

        Raises:
            GuestPanic, PoweredOff: as `run`.
            BadCommand: the line is too long, or has a NUL byte.
        """
        if "\0" in line:
            raise BadCommand("a command line cannot hold a NUL byte")
        command = line.encode(errors="surrogateescape") + b"\0"
        if len(command) > _LONGEST_COMMAND:
            raise BadCommand(f"a command line of {len(command) - 1} bytes: at most {_LONGEST_COMMAND - 1} fit")
        self._commands.append(command)
        self._status = None
        self.device_interrupt()
        while self._status is None:
            busy = self.run()
            check()
            if not pump(not busy and self._status is None) and not busy and self._status is None:
                raise GuestPanic("the command does not end: every CPU sleeps, and nothing will wake one")
        return self._status

    def give_up_command(self, check: Callable[[], None]) -> None:
        """Has a command killed that was left running (`command` has raised), with its process group.

        Raises:
            GuestPanic, PoweredOff, LimitReached: as `run`.
        """
        self._commands.clear()
        if not self._command_runs:
            return
        self._giving_up = True
        self.device_interrupt()
        while self._command_runs:
            busy = self.run()
            check()
            if not busy and self._command_runs:
                raise GuestPanic("the command that was left running cannot be killed: every CPU sleeps")

    def device_interrupt(self) -> None:
        """Tells the guest that a command or console input waits for it."""
        self.board.cpus[0].raise_interrupt(self.image.offset("HOST_DEVICE_VECTOR"), self.board.now)

    def disk_interrupt(self) -> None:
        """Has the RAM disk interrupt CPU 0 when it will have done its next command."""
        time = self.disk.next_completion
        if time is not None:
            self.board.cpus[0].raise_interrupt(self.image.offset("BLOCK_DEVICE_VECTOR"), time)

    # What host calls do

    def _host_call(self, cpu: Cpu, number: int, arguments: list[int]) -> None:
        handler = self._handlers.get(number)
        try:
            result = -errno.ENOSYS if handler is None else handler(self, cpu, arguments)
        except LookupError:
            result = -errno.EFAULT
        if result is not None:
            cpu.answer(result)

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        """A CPU can take upcalls; its struct pcpu_hot is at `hot_area`."""
        self.hot_areas[cpu.index] = hot_area
        self.on_cpu_online(cpu, hot_area)

    def next_command(self, size: int) -> bytes | None:
        """The next command line for init, which has room for `size` bytes; None if there is none."""
        if not self._commands:
            return None
        self._command_runs = True
        return self._commands.popleft()[:size]

    def command_given_up(self) -> bool:
        """Whether the command that runs is to be killed; said once."""
        giving_up, self._giving_up = self._giving_up, False
        return giving_up and self._command_runs

    def command_done(self, status: int) -> None:
        """init reports a command's wait status."""
        self._status = status & 0xFFFF
        self._command_runs = False

    def powered_off(self, status: int) -> None:
        self._ended = PoweredOff(status)

    def panicked(self, cpu: Cpu, message: str, registers: int) -> None:
        """`registers`: address of a struct pt_regs, or 0 for the CPU's own."""
        self._ended = GuestPanic(self._report(cpu, message, registers))

    def warned(self, cpu: Cpu, message: str, registers: int) -> None:
        """The guest kernel complains and goes on. `registers`: address of a struct pt_regs, or 0 for the CPU's own."""
        lines = [f"guest warning on CPU {cpu.index}: {message}", *backtrace.lines(self, cpu, registers)]
        self.warn("\n".join(lines))

    def show_regs(self, cpu: Cpu, saved: int, oops: bool) -> str:
        """Registers and calls for a report of the kernel's. Also a warning, if it has itself faulted and will try to go on.

        `saved`: address of a struct pt_regs, or 0 for the calls that led here, without registers.
        """
        registers = backtrace.registers(self, cpu, saved) if saved else ()
        lines = [*registers, "Call Trace:", *backtrace.lines(self, cpu, saved)]
        if oops:
            self.warn("\n".join([f"guest oops on CPU {cpu.index}", *backtrace.task(self, cpu), *lines]))
        return "\n".join(lines)

    def _report(self, cpu: Cpu, message: str, registers: int) -> str:
        lines = [f"guest panic on CPU {cpu.index}: {message}", *backtrace.task(self, cpu)]
        lines += [*backtrace.registers(self, cpu, registers), "backtrace:", *backtrace.lines(self, cpu, registers)]
        if console := self.console.last_lines:
            lines += ["last console lines:", *(f"  {line}" for line in console)]
        return "\n".join(lines)


def exit_status(wait_status: int) -> int:
    """A wait status as a shell shows it: the exit code, or 128 and the signal."""
    return os.WEXITSTATUS(wait_status) if os.WIFEXITED(wait_status) else 128 + os.WTERMSIG(wait_status)
