# SPDX-License-Identifier: GPL-2.0-only
"""Running a machine: for a moment, until a command ends, or until nothing is left to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from emu.cpu.cpu import Cpu
from emu.ftrace.guest.reports import GuestReports
from emu.ftrace.guest.requests import GuestRequests
from emu.kernel.console_input import ConsoleInput
from emu.kernel.endings import GuestPanic
from emu.machine.parts import Parts

if TYPE_CHECKING:
    from emu.ftrace.guest.boot_options import BootOptions
    from emu.ftrace.probes.host_probes import HostProbes

__all__ = ["Running"]

_THREADS_BEGIN = 10_000_000  # nanoseconds that the threads of a tracer started at boot get, once init is up


class Running:
    """Runs a machine's parts.

    Attributes:
        closed: the machine is closed, and every method raises.
        reports: handles what the guest's kernel reports.
        probes: the host's probes; None before the first one.
    """

    def __init__(self, parts: Parts, warn: Callable[[str], None]) -> None:
        self._board, self._kernel, self._ftrace, self._array = parts.board, parts.kernel, parts.ftrace, parts.trace_array
        self._warn = warn
        self.reports = GuestReports(self._kernel, self._ftrace)
        self.closed = False
        self.probes: HostProbes | None = None

    # Which calls are allowed now

    def check_open(self) -> None:
        """Raises ValueError if the machine is closed."""
        if self.closed:
            raise ValueError("the machine is closed")

    def check_calls(self) -> None:
        """Raises RuntimeError in a callback, during which the machine must stand still."""
        if self._board.calls_python:
            raise RuntimeError("the machine is stopped for a callback: this is possible after it has returned")

    def check(self) -> None:
        """The checks of check_open and check_calls."""
        self.check_open()
        self.check_calls()

    def check_stands(self) -> None:
        """Raises ValueError or RuntimeError if the machine is closed or not between two calls."""
        self.check_open()
        if not self._board.stands:
            raise RuntimeError("the machine is in the midst of a call: a checkpoint is taken or restored between two")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A context for changing what native code may be reading."""
        self.check_calls()
        with self._board.acting():
            yield

    # Running

    def boot(self, options: BootOptions, time: int, booting: Callable[[int], None]) -> None:
        """Runs the guest until init waits for a command and everything else sleeps, or a boot tracer's threads have started.

        Clocks start at `time`, so a seed also shifts the timer ticks. `booting`: see Machine.
        """
        board, kernel = self._board, self._kernel
        kernel.start(time, self.reports, GuestRequests(kernel, self._array, self._ftrace))
        while not kernel.hot_areas and self.for_a_moment():
            pass
        options.obey_when_traps_are_taken()
        restless = self._array.ops.tracer.has_threads
        while self.for_a_moment():
            booting(len(kernel.hot_areas))
            if restless and kernel.commands.awaited:
                board.limit = board.now + board.cycles(_THREADS_BEGIN)
                restless = False
        board.unlimited()
        missing = sorted(set(range(len(board.cpus))) - set(kernel.hot_areas))
        if missing:
            raise GuestPanic(f"the guest kernel did not start CPU {', '.join(map(str, missing))}")

    def command(
        self,
        words: Sequence[str],
        on_exec: Callable[[int], None] | None,
        console_input: ConsoleInput,
        meanwhile: Callable[[bool], None] | None,
    ) -> int:
        """Runs a program to its end, and returns its wait status."""
        commands = self._kernel.commands
        commands.give(words, on_exec)
        try:
            while commands.status is None:
                busy = self.for_a_moment()
                waits = not busy and commands.status is None
                if meanwhile is not None:
                    console_input.pump(wait=False)
                    meanwhile(waits)
                elif not console_input.pump(wait=waits) and waits:
                    raise self._wedged("the command does not end: every CPU sleeps, and nothing will wake one")
        finally:
            commands.forget()
        printed_events = self._ftrace.globals.printed_events
        due = printed_events.asked
        while (self._kernel.work.busy or printed_events.printed < due) and self.for_a_moment():
            pass  # requests that the command made of the host belong to it: a dump of the trace, say
        return commands.status

    def kill_command(self) -> None:
        """Kills a command that is still running because its `run` raised."""
        commands = self._kernel.commands
        commands.give_up()
        while commands.running:
            if not self.for_a_moment() and commands.running:
                raise self._wedged("the command that was left running cannot be killed: every CPU sleeps")

    def for_a_moment(self) -> bool:
        """Runs the machine for a moment, on the guest's behalf. Warns if the guest asked for patching and was refused."""
        busy = self._moment()
        if (refused := self._ftrace.take_refused()) is not None:
            self._warn(refused.why)
        return busy

    def _moment(self) -> bool:
        """Runs the machine as Kernel.run does. Then tracing acts on what native code has found meanwhile.

        Raises:
            GuestPanic: also if patching does not end.
        """
        busy = self._kernel.run()
        self._after_run()
        if self._ftrace.driver.overdue:
            raise self._wedged("patching does not end")
        return busy

    def step(self, cpu: Cpu) -> bool:
        """Executes one instruction of a CPU; see GuestCpu.step."""
        executed = self._kernel.step(cpu)
        self._after_run()
        return executed

    def _after_run(self) -> None:
        """Does the work that native code and callbacks have left behind."""
        self._array.after_run()
        if self.probes is not None:
            self.probes.after_run()

    def _wedged(self, why: str) -> GuestPanic:
        """The error for a guest that cannot continue. Its lines say what each CPU executes."""
        return GuestPanic(self._kernel.where(why))

    # Work that tracefs has started

    def updates(self) -> int:
        """How many times tracefs has started work that may continue in the guest."""
        return self._ftrace.updates + self._kernel.work.asked

    def unsettled(self) -> bool:
        """Whether work that tracefs has started is still running in the guest."""
        return self._ftrace.driver.busy or self._kernel.work.busy

    @property
    def patching(self) -> bool:
        """Whether call sites are being changed."""
        return self._ftrace.driver.busy

    def settle(self, limit: int | None = None, host_limit: float | None = None) -> None:
        """See Machine.settle."""
        self.check()
        with self._kernel.limits.during(limit, host_limit):
            while self.unsettled():
                if not self._moment() and self.unsettled():
                    what = "patching does not end" if self._ftrace.driver.busy else "ktraced does not do its work"
                    raise self._wedged(f"{what}: every CPU sleeps")
        if (refused := self._ftrace.take_refused()) is not None:
            raise refused
        self.check_work()

    def check_work(self) -> None:
        """Raises the error of work that tracefs asked for and the guest could not do, if there is one."""
        if (refusal := self._kernel.work.take_refusal()) is not None:
            with self._array.error_log.noting():
                raise refusal
