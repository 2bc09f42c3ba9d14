# SPDX-License-Identifier: GPL-2.0-only
"""LinuxMachine: a PC with an unmodified Linux booted on it."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from emu.cpu.cpu import Cpu
from emu.cpu.guest_cpu import GuestCpu
from emu.cpu.host_signals import Held
from emu.cpu.pc.state import flush_tlbs
from emu.guest_machine import Completed, exit_status
from emu.kernel.endings import GuestPanic
from emu.linux import requirements, saved, store
from emu.linux.boot_params import check_memory
from emu.linux.channel import Window
from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.command_input import CommandInput
from emu.linux.command_words import words_of_command
from emu.linux.config import LinuxConfig, LinuxParameters
from emu.linux.find import find_kernel
from emu.linux.guest import Guest
from emu.linux.image import BadKernel, Kernel, read_kernel
from emu.linux.initramfs import initramfs_of
from emu.linux.symbols import NoSymbols, Symbols
from emu.linux.traced_linux import TracedLinux
from emu.parameters import parameters_of

if TYPE_CHECKING:
    from emu.guest_machine import Input, Terminal
    from emu.linux.driven import Diverted, Driven

__all__ = ["LinuxMachine"]


class LinuxMachine(TracedLinux):
    """A machine with an unmodified Linux, booted and waiting for commands.

    >>> with LinuxMachine(cpus=2) as m:
    ...     done = m.run("uname -a")
    ...     print(done.status, done.output, done.errors)

    Args: those of LinuxParameters.

    Attributes:
        config: what the machine was made from.

    Raises:
        NoKernel, BadKernel: there is no kernel, or it is none that boots here. They are ValueErrors.
        BadRoot, BadUserland: the initrd or the root cannot be used. They are ValueErrors.
        ValueError: a parameter is out of range.
        OSError: a file cannot be read, or the host has too little memory.
        GuestPanic: the kernel panicked while it booted.
        PoweredOff: it switched the machine off.
        LimitReached: the boot took too long.
    """

    @parameters_of(LinuxParameters)
    def __init__(self, parameters: LinuxParameters) -> None:
        config = LinuxConfig(**{field.name: getattr(parameters, field.name) for field in dataclasses.fields(LinuxConfig)})
        if config.timing not in (None, "static"):
            raise ValueError(f"the timing model '{config.timing}' does not exist for a Linux guest: static is the only one")
        path = find_kernel(None if config.kernel is None else os.fspath(config.kernel))
        self._prepare(dataclasses.replace(config, kernel=path, timing="static"), parameters)
        initramfs = initramfs_of(config)
        kept = None if parameters.fresh or parameters.prepare is not None else store.machine_file(self._made_from(initramfs))
        if kept is not None and (found := self._kept(kept)) is not None:
            self._restore(found)
            return
        self._boot(initramfs, parameters)
        if kept is not None:
            self._keep(kept)

    @classmethod
    def load(cls, path: Path | str, **parameters: Any) -> Self:
        """A machine that `save` has written.

        Args:
            path: the file.
            parameters: console, output, errors and warn of LinuxParameters.

        Raises:
            BadMachine: the file is damaged, or another build has written it. It is a ValueError.
            OSError: it cannot be read.
        """
        found = saved.read(Path(path))
        machine = cls.__new__(cls)
        machine._prepare(LinuxConfig(**found.extra["config"]), LinuxParameters(**parameters))
        machine._restore(found)
        return machine

    # Making

    def _prepare(self, config: LinuxConfig, parameters: LinuxParameters) -> None:
        """Sets what does not depend on whether the machine is booted or restored."""
        self.config, self._sinks = config, parameters
        self._kernel_path = Path(str(config.kernel))
        self.warnings: list[str] = []
        self._said = parameters.warn or self.warnings.append
        self._output, self._errors = bytearray(), bytearray()
        self._exit: int | None = None  # the wait status of the latest command
        self._closed = False

    def _made_from(self, initramfs: bytes) -> dict[str, object]:
        """Everything that a booted machine depends on."""
        config = dataclasses.asdict(self.config)
        for name in ("kernel", "rootfs", "initrd"):
            del config[name]
        digests = {"kernel": _digest(self._kernel_path.read_bytes()), "initramfs": _digest(initramfs)}
        return config | digests

    def _warn(self, text: str) -> None:
        self._said(text)

    @cached_property
    def _kernel(self) -> Kernel:
        return read_kernel(self._kernel_path)

    def _boot(self, initramfs: bytes, parameters: LinuxParameters) -> None:
        panic = self._panic_address()
        check_memory(self.config.memory, self._kernel, len(initramfs))
        self._start(panic)
        self._guest.boot(initramfs, self.config)
        if parameters.prepare is not None:
            parameters.prepare(self)
        limit, host_limit = parameters.boot_limit, parameters.boot_host_limit
        with self._guest.limits.during(limit, host_limit, ", and the guest has not booted"):
            while not self._guest.channel.ready:
                if not self._guest.for_a_moment() and not self._guest.channel.ready:
                    raise GuestPanic(self._guest.where("the guest has not booted: every CPU sleeps, and nothing will wake one"))
                parameters.booting(self._guest.cpus_up)
        flush_tlbs(self._guest.pc)  # as saving does: from here on, a machine that was kept runs alike

    def _panic_address(self) -> int | None:
        """Where the kernel's function panic is. Looks whether the kernel has what it needs."""
        try:
            symbols = Symbols(self._kernel)
        except NoSymbols as error:
            self._warn(f"{error}: a panic will not be noticed")
            return None
        if lacks := requirements.missing(symbols):
            raise BadKernel(f"{self._kernel_path}: the kernel lacks {'; '.join(lacks)}")
        return symbols.address("panic")

    def _start(self, panic: int | None) -> None:
        """Makes the PC."""
        self._guest = guest = Guest(self.config, lambda: self._kernel, panic, self._on_console)
        self._input = CommandInput(guest, lambda: self._exit is not None)
        channel = guest.channel
        channel.on_output, channel.on_errors, channel.on_exit = self._on_output, self._on_errors, self._on_exit
        self.board = guest.board
        self.cpus = tuple(GuestCpu(cpu, guest.report, self._step, self._check) for cpu in guest.board.cpus)

    def _restore(self, found: saved.Saved) -> None:
        self._start(found.extra["guest"]["panic"])
        saved.restore(self._guest.pc, found)
        self._guest.restart(found.extra["guest"])

    def _kept(self, path: Path) -> saved.Saved | None:
        """The machine that was kept in a file; None if there is none that can be used."""
        try:
            found = saved.read(path)
        except FileNotFoundError:
            return None
        except (saved.BadMachine, OSError) as error:
            self._warn(f"{error}: booting again")
            return None
        store.used(path)
        return found

    def _keep(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.save(path)
        except OSError as error:
            self._warn(f"cannot keep the booted machine in {path.parent}: {error.strerror}; the next run will boot again")
        store.prune()

    # Running

    def __repr__(self) -> str:
        cpus = len(self.cpus)
        return f"<machine: Linux, {cpus} CPU{'s' * (cpus > 1)}{', closed' * self._closed}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees the memory. Every other method raises ValueError from then on."""
        if not self._closed:
            self._closed = True
            self.board.close()

    @property
    def patience(self) -> float | None:
        """The seconds for which a terminal may wait for a key now; None: no limit. All CPUs sleep meanwhile."""
        left, patience = self._guest.limits.host_left, self._input.patience
        return left if patience is None else patience if left is None else min(left, patience)

    def run(
        self,
        command: str | Sequence[str | bytes],
        *,
        trace: bool | Collection[str] = False,
        follow: bool = False,
        stdin: Input | bytes = b"",
        terminal: Terminal | None = None,
        environment: Sequence[str] = (),
        meanwhile: Callable[[bool], None] | None = None,
        limit: int | None = None,
        host_limit: float | None = None,
    ) -> Completed:
        """Runs a command in the guest until it ends. Its background jobs go on during later runs.

        Args:
            command: a line for the guest's shell; or a program and its arguments, which it gets exactly as they are.
            trace: turns tracing on just before the command's process executes the command, and off when the command has
                ended: in the top trace array, or in the arrays with these names ("" is the top one).
            follow: traces only the command and its children, from the command's first instruction on, in the top trace array
                and in all instances.
            stdin: the command's standard input: all its bytes, or an Input that gives them as they come.
            terminal: used instead of `stdin`: the command has a terminal, with lines, an echo and ^C. It writes to `output` only.
            meanwhile: called now and then, between two turns of CPUs; it may use `tracefs`. Its argument is True if every CPU
                sleeps and nothing will wake one: the command then waits for what `meanwhile` does.
            environment: words NAME=VALUE, besides the usual ones.
            limit: nanoseconds of virtual time that the command may take.
            host_limit: seconds of the host's time that it may take.

        Raises:
            GuestPanic: the kernel panicked, or every CPU sleeps and nothing will wake one.
            LimitReached: the command took too long; the machine stands still.
            PoweredOff: the guest switched the machine off, or restarted it.
            NotTraceable: see `tracefs`, if `trace` or `follow` is wanted. It is a ValueError.
            KeyError: no trace array has a name in `trace`.
            BadCommand: the command is empty, too long, or has a NUL byte. It is a ValueError.
            KeyboardInterrupt: the host's user pressed ^C.

        If `run` raises, the command continues whenever the machine runs. The next `run` first kills it.
        """
        self._check()
        words = words_of_command(command)
        with self._guest.limits.during(None, host_limit):
            self._kill_command()
        self._begun()
        window = None if terminal is None else Window(*terminal.size())
        channel = self._guest.channel
        channel.run(words, [word.encode(errors="surrogateescape") for word in environment], window)
        with self._guest.limits.during(limit, host_limit), self._traced(trace, follow):
            if terminal is not None:
                self._input.talk(terminal, window)
            else:
                self._input.feed(stdin, meanwhile)
        return Completed(exit_status(self._status), bytes(self._output), bytes(self._errors))

    @property
    def _status(self) -> int:
        assert self._exit is not None
        return self._exit

    def _kill_command(self) -> None:
        """Kills a command that is still running because its `run` raised."""
        channel = self._guest.channel
        if channel.running:
            channel.kill()
        while channel.running:
            if not self._guest.for_a_moment() and channel.running:
                raise self._wedged("the command that was left running cannot be killed: every CPU sleeps")

    def advance(self, cycles: int, *, limit: int | None = None, host_limit: float | None = None) -> bool:
        """Lets time pass: background jobs and timers run until every CPU has reached the present time plus `cycles`.

        Returns:
            False if every CPU sleeps and nothing will wake one.

        Raises:
            GuestPanic, LimitReached, PoweredOff: as `run`.
            ValueError: the cycles are negative.
        """
        self._check()
        if cycles < 0:
            raise ValueError(f"{cycles} cycles cannot pass")
        with self._guest.limits.during(limit, host_limit):
            self.board.limit = self.board.now + cycles
            try:
                while self._guest.for_a_moment():
                    pass
                return self.board.sleep_until_limit()
            finally:
                self.board.unlimited()

    # Keeping

    def save(self, path: Path | str) -> None:
        """Writes the machine to a file, from which `load` makes it again. It appears whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        self._check()
        config = dataclasses.asdict(self.config)
        for name in ("kernel", "rootfs", "initrd"):
            config[name] = None if config[name] is None else os.fspath(config[name])
        saved.write(Path(path), self._guest.pc, {"config": config, "guest": self._guest.state()})

    def checkpoint(self) -> LinuxCheckpoint:
        """Remembers the whole machine as it is now. `restore` puts it back, any number of times."""
        self._check()
        with Held():
            return LinuxCheckpoint(self._guest.pc, self._guest.state())

    def restore(self, checkpoint: LinuxCheckpoint) -> None:
        """Puts the machine back to a checkpoint. What is traced stays as it is set. If anything was recorded later than the
        checkpoint, the trace is emptied.

        Raises:
            ValueError: it is a checkpoint of another machine.
        """
        self._check()
        with Held():
            checkpoint.put_back(self._guest.pc)
            self._guest.restart(checkpoint.extra)
            if "_tracing" in self.__dict__:
                self._tracing.restored()

    def driver(self) -> Driven:
        """Drives this machine by moments (emu.history); nothing else may run it meanwhile."""
        self._check()
        from emu.linux.driven import Driven

        sinks = self._sinks
        callers = (sinks.console, sinks.output, sinks.errors, sinks.warn, sinks.booting, sinks.prepare)
        apart = [sinks, *(caller for caller in callers if caller is not None)]
        return Driven(self._guest, [self], apart, self._divert, lambda: self._exit, self._begun)

    def _begun(self) -> None:
        self._output.clear()
        self._errors.clear()
        self._exit = None

    def _divert(self, through: Diverted) -> None:
        sinks = self._sinks
        self._sinks = dataclasses.replace(
            sinks,
            console=functools.partial(through, sinks.console or _nothing),
            output=functools.partial(through, sinks.output or _nothing),
            errors=functools.partial(through, sinks.errors or _nothing),
        )

    # What the guest does

    def _step(self, cpu: Cpu) -> bool:
        return self._guest.step(cpu)

    def _on_console(self, data: bytes) -> None:
        if self._sinks.console is not None:
            self._sinks.console(data)

    def _on_output(self, data: bytes) -> None:
        self._output += data
        if self._sinks.output is not None:
            self._sinks.output(data)

    def _on_errors(self, data: bytes) -> None:
        self._errors += data
        if self._sinks.errors is not None:
            self._sinks.errors(data)

    def _on_exit(self, status: int) -> None:
        self._exit = status & 0xFFFF

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the machine is closed")

    def _check(self) -> None:
        self._check_open()
        if not self.board.stands:
            raise RuntimeError("the machine is in the midst of a call")

    def _wedged(self, why: str) -> GuestPanic:
        return GuestPanic(self._guest.where(why))


def _nothing(data: bytes) -> None:
    """Drops it."""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
