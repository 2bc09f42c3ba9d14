# SPDX-License-Identifier: GPL-2.0-only
"""A Linux on a PC, as it runs: its console, the agent that runs its commands, and its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.native import turns
from emu.cpu.native.pc.records import RESET
from emu.cpu.pc import PC_ARCH, Pc
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.kernel.limits import LimitReached, Limits
from emu.linux.boot_params import PAGE_TABLES, ZERO_PAGE, load
from emu.linux.channel import Channel, ChannelError
from emu.linux.config import LinuxConfig
from emu.linux.image import Kernel
from emu.linux.report import Report
from emu.linux.symbols import Symbols

__all__ = ["Guest"]

_KEPT_LINES = 10  # of the console, printed when the guest panics
_PRINTING = 100_000_000  # nanoseconds of virtual time in which a panic is printed, at most


class Guest:
    """A PC on which Linux is booted, or restored.

    Args:
        config: what it is made from.
        kernel: reads the kernel, when it is needed first.
        panic: the address of the kernel's function panic; None: it is not known.
        console: called with what is written to the console.

    Attributes:
        channel: the host's side of the second serial port.
        limits: how long the guest may run.
        console_tail: the last lines of the console.
        ran: called each time the guest has run for a moment.
    """

    def __init__(
        self, config: LinuxConfig, kernel: Callable[[], Kernel], panic: int | None, console: Callable[[bytes], None]
    ) -> None:
        self._kernel, self.panic_address, self._console = kernel, panic, console
        self.board = Board(PC_ARCH, config.cpus, config.memory, config.quantum, config.seed, config.frequency)
        self.pc = Pc(self.board)
        self.limits = Limits(self.board)
        self.report = Report(lambda: Symbols(kernel()))
        self.console_tail = b""
        console_port, self._port = self.pc.serial
        self._console_port = console_port
        self.channel = Channel(self._port.give)
        self.ran: Callable[[], None] = lambda: None
        self._panicked: list[str] | None = None
        self._panic_ends: int | None = None
        if panic is not None:
            self.board.callouts.notice(panic, self.board.python_handler(self._on_panic))

    def boot(self, initramfs: bytes, config: LinuxConfig) -> None:
        """Puts the kernel into RAM, and switches the first CPU on.

        Raises:
            ValueError: the command line is not possible.
        """
        kernel = self._kernel()
        load(self.board.ram, kernel, initramfs, config.whole_command_line, config.cpus, config.seed)
        self.board.reset_page_table = PAGE_TABLES
        self.board.cpus[0].start(kernel.entry, ZERO_PAGE, 0)

    @property
    def cpus_up(self) -> int:
        """How many CPUs are switched on."""
        return sum(cpu.running for cpu in self.board.cpus)

    @cached_property
    def symbols(self) -> Symbols:
        """The kernel's symbols.

        Raises:
            NoSymbols: it has none.
        """
        return Symbols(self._kernel())

    # Between two turns

    def state(self) -> dict[str, Any]:
        """What the host knows of the guest, besides the PC's state."""
        panicked = {"panicked": self._panicked, "panic_ends": self._panic_ends}
        return {"channel": self.channel.state(), "console": self.console_tail.hex(), "panic": self.panic_address} | panicked

    def restart(self, state: dict[str, Any]) -> None:
        """Goes on from such a state."""
        self.channel.restart(state["channel"])
        self.console_tail = bytes.fromhex(state["console"])
        self._panicked, self._panic_ends = state["panicked"], state["panic_ends"]

    # Running

    def for_a_moment(self) -> bool:
        """Runs the guest for a moment, and does what its agent wants. A guest that has ended stands still.

        When it ends, and where, does not depend on how long a moment is: what ends it interrupts the CPU's turn, or is the limit.

        Returns:
            False if nothing can happen before the board's limit.

        Raises:
            GuestPanic, PoweredOff, LimitReached
        """
        self._look_for_end()
        self._port.wait_for(self.channel.awaited)
        self._console_port.wait_for(None, lines=self._panicked is not None)
        busy = self._run()
        self.after_run()
        if (why := self.limits.reached(busy=busy)) is not None:
            raise LimitReached(self.where(why))
        return busy

    def _run(self) -> bool:
        """Runs the CPUs, at most until a panic must have been printed."""
        board, ends = self.board, self._panic_ends
        if ends is None or ends >= board.limit:
            return board.run(_no_host_call)
        limit, board.limit = board.limit, ends
        try:
            return board.run(_no_host_call)
        finally:
            board.limit = limit

    def step(self, cpu: Cpu) -> bool:
        """Executes one instruction of a CPU."""
        executed = self.board.step(cpu, _no_host_call)
        self.after_run()
        return executed

    def after_run(self) -> None:
        """Takes what the guest has sent, and looks whether it has ended."""
        if written := self._console_port.take():
            self.console_tail = b"\n".join((self.console_tail + written).split(b"\n")[-_KEPT_LINES - 1 :])
            self._console(written)
        if data := self._port.take():
            try:
                self.channel.receive(data)
            except ChannelError as error:
                raise GuestPanic(self.where(str(error))) from None
        self.ran()
        self._look_for_end()

    def _look_for_end(self) -> None:
        if self.pc.record.ended:
            raise PoweredOff(0)
        if self._panicked is not None and self._has_printed():
            raise self._panic()

    def _has_printed(self) -> bool:
        """Whether the panic's last line is on the console, or no CPU can begin a turn before it must be."""
        if b"\n" in self.console_tail.partition(_PANIC_END)[2]:
            return True
        ends, board = self._panic_ends, self.board
        return ends is not None and not board.record.interrupted and all(turns.ready_at(cpu.record) >= ends for cpu in board.cpus)

    def where(self, why: str) -> str:
        """A sentence, followed by what each CPU does."""
        return self.report.where(why, self.board.cpus)

    @property
    def was_reset(self) -> bool:
        return bool(self.pc.record.ended == RESET)

    @property
    def idle_time(self) -> int:
        """For how many nanoseconds all CPUs will sleep; 0 if one is busy."""
        events = [cpu.next_event for cpu in self.board.cpus if cpu.running]
        if any(cpu.running and not cpu.halted for cpu in self.board.cpus):
            return 0
        known = [event for event in events if event is not None]
        return max(self.board.nanoseconds(min(known) - self.board.now), 0) if known else 10**9

    # Panic

    def _on_panic(self, cpu: Cpu, address: int) -> None:
        """The kernel calls panic. It is given the time to print why."""
        if self._panicked is None:
            self._panicked = [f"guest panic on CPU {cpu.index}: ", *self.report.panic(cpu)]
            self._panic_ends = cpu.cycles + self.board.cycles(_PRINTING)
            self.board.stop(cpu)  # from here on, other things end a moment

    def _panic(self) -> GuestPanic:
        assert self._panicked is not None
        head, *rest = self._panicked
        return GuestPanic("\n".join([head + self._panic_message(), *rest, *self.last_lines]))

    def _panic_message(self) -> str:
        marked = [line.partition(_PANIC_MARK)[2] for line in self.console_text if _PANIC_MARK in line]
        return marked[-1].strip().removesuffix(" ]---") if marked else "its message is not on the console"

    @property
    def console_text(self) -> list[str]:
        return [line.rstrip("\r") for line in self.console_tail.decode(errors="replace").split("\n") if line.strip()]

    @property
    def last_lines(self) -> list[str]:
        """The last lines of the console, for a report."""
        lines = self.console_text[-_KEPT_LINES:]
        return ["last console lines:", *(f"  {line}" for line in lines)] if lines else []


_PANIC_MARK = "Kernel panic - not syncing: "
_PANIC_END = f"---[ end {_PANIC_MARK}".encode()  # begins the last line; from then on the CPU that panicked turns in a loop


def _no_host_call(cpu: Cpu, number: int, arguments: list[int]) -> None:
    raise AssertionError("a PC has no host calls")
