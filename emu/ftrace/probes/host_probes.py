# SPDX-License-Identifier: GPL-2.0-only
"""Probes that call Python functions of the host."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from emu.cpu.cpu import Cpu
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.dynevent.argument import Argument
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.kprobe_events import KprobeEvents, parse_place
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.probe_record import Probe, ProbeHandler
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.native.trace_values import ALWAYS, LARGEST_ENTRY

__all__ = ["Hit", "HostProbe", "HostProbes", "Value"]

Value: TypeAlias = "int | str | list[int] | list[str]"

_MASK = (1 << 64) - 1
_LENGTH = 16  # shift of the length in the word that locates a string


class Registers(MutableMapping[str, int]):
    """The registers at a probe, by the names in `%NAME` of an argument. The CPU continues with the values stored here."""

    def __init__(self, registers: ProbeRegisters, words: Sequence[int], read_only: str = "") -> None:
        self._words, self._read_only = list(words), read_only
        self._names = registers.names
        self._at_probe = True

    def __repr__(self) -> str:
        return f"<registers: {', '.join(f'{name}={value:#x}' for name, value in self.items())}>"

    def __getitem__(self, name: str) -> int:
        return self._words[self._names[name]]

    def __setitem__(self, name: str, value: int) -> None:
        self.put(self._names[name], value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a CPU keeps its registers")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def get_word(self, word: int) -> int:
        """A register by its word (`ProbeRegisters`)."""
        return self._words[word]

    def put(self, word: int, value: int) -> None:
        """Stores a register by its word.

        Raises:
            RuntimeError: the callback has returned and the CPU has continued.
            TypeError: the registers cannot be changed.
        """
        if self._read_only:
            raise TypeError(self._read_only)
        if not self._at_probe:
            raise RuntimeError("the CPU has gone on: its registers can be changed while the callback runs")
        self._words[word] = value & _MASK

    def leave(self) -> Sequence[int]:
        """Ends access, because the CPU continues. Returns all words."""
        self._at_probe = False
        return self._words


class Hit:
    """A CPU has reached a probe, and the machine stands still.

    Attributes:
        cpu: the CPU's number.
        pid, comm: those of the task on the CPU.
        address: the probed address; for a return, the function that returns.
        returns_to: for a return, the return address in the caller; None if the hit is not a return.
        args: the probe's arguments, by their names: numbers, texts, or lists of them.
        registers: the registers before the probed instruction, or after the function's return. They can be changed.
    """

    def __init__(
        self,
        cpu: int,
        task: tuple[int, str],
        address: int,
        returns_to: int | None,
        args: Mapping[str, Value],
        registers: Registers,
        known: ProbeRegisters,
    ) -> None:
        self.cpu = cpu
        self.pid, self.comm = task
        self.address = address
        self.returns_to = returns_to
        self.args = args
        self.registers = registers
        self._known = known

    def __repr__(self) -> str:
        return f"<hit of {self.address:#x} by {self.comm}-{self.pid} on CPU {self.cpu}: {dict(self.args)}>"

    @property
    def return_value(self) -> int:
        """The function's return value, as an unsigned number. It can be set.

        Raises:
            AttributeError: the hit is not a return.
        """
        self._check_return()
        return self.registers.get_word(self._known.return_value)

    @return_value.setter
    def return_value(self, value: int) -> None:
        self._check_return()
        self.registers.put(self._known.return_value, value)

    def _check_return(self) -> None:
        if self.returns_to is None:
            raise AttributeError("no function returns here: this is not a return probe")


class HostProbe:
    """One probe, made by `Machine.probe`. As a context manager, it is removed at the end of the `with` statement.

    Attributes:
        place: the probed place, as it was given.
        hits: how many times the callback was called.
    """

    def __init__(
        self, probes: HostProbes, place: str, callback: Callable[[Hit], object], layout: EntryLayout, program: FetchProgram
    ) -> None:
        self.place = place
        self.hits = 0
        self.callback = callback
        self.layout = layout
        self.record = Probe.allocate()
        self.record.program, self.record.size = program.program, layout.size
        self.consumer = Consumer.allocate()
        self.consumer.count = ALWAYS
        self.consumer.target = self.record.address
        self._program = program
        self._probes = probes

    def __repr__(self) -> str:
        return f"<probe of {self.place}: {f'{self.hits} hits' if self.active else 'removed'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.remove()

    @property
    def active(self) -> bool:
        """Whether the callback is called; False after `remove`."""
        return self in self._probes

    def remove(self) -> None:
        """Stops calls of the callback from now on. It may be called while this callback or another one runs.

        Raises:
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `Machine.settle`.
        """
        self._probes.remove(self)


class HostProbes:
    """All probes of the host.

    Args:
        kernel: a kernel on a board.
        registers: those that probes see.
        handler: the native handler of such a probe (`native.probe_event.ProbeHandlers.host`).
        trace_globals: what the trace arrays share.
        events: knows arguments of probes.
        update: arms the probes.
        settle: runs the machine until the probes are armed.
        read_only: why registers cannot be changed; "": they can.
    """

    def __init__(
        self,
        kernel: TracedKernel,
        registers: ProbeRegisters,
        handler: ProbeHandler,
        trace_globals: TraceGlobals,
        events: KprobeEvents,
        update: Callable[[], object],
        settle: Callable[[], None],
        *,
        read_only: str = "",
    ) -> None:
        self._kernel, self._known, self._native_handler = kernel, registers, handler
        self._globals, self._events, self._kprobes = trace_globals, events, events.kprobes
        self._update, self._settle, self._read_only = update, settle, read_only
        self._context = trace_globals.records.event_context
        self._handler = kernel.board.python_handler(self._hit)
        self._probes: dict[int, HostProbe] = {}  # by their record's address
        self._leaving: list[HostProbe] = []

    def __contains__(self, probe: HostProbe) -> bool:
        return self._probes.get(probe.record.address) is probe

    def add(self, place: str | int, callback: Callable[[Hit], object], args: Sequence[str], returns: bool) -> HostProbe:
        """Calls a callback at a place, from the next change of sites on.

        Raises:
            TraceError: the place cannot be probed, or an argument is wrong.
        """
        text = hex(place) if isinstance(place, int) else place
        command = ProbeCommand("probe", " ".join(["r" if returns else "p", text, *args]))
        if not text or len(text.split()) != 1:
            raise command.error(ProbeError.BAD_PROBE_ADDR, 1)
        where, of_return = parse_place(command)
        returns = returns or of_return
        layout, program = self._events.arguments(command, where, returns)
        probe = HostProbe(self, text, callback, layout, program)
        probe.record.callback = self._handler
        probe.consumer.handler = self._native_handler
        if returns:
            self._kprobes.add_return(where, probe.consumer)
        else:
            self._kprobes.add(where, probe.consumer)
        self._probes[probe.record.address] = probe
        self._update()
        return probe

    def remove(self, probe: HostProbe) -> None:
        if probe in self:
            del self._probes[probe.record.address]
            self._leaving.append(probe)
            if not self._kernel.board.calls_python:
                self.after_run()
                self._settle()

    def after_run(self) -> None:
        """Removes the probes that callbacks have removed. Native code may have been walking them until now."""
        if self._leaving:
            for probe in self._leaving:
                self._kprobes.remove(probe.consumer)
            self._leaving.clear()
            self._update()

    def _hit(self, cpu: Cpu, record: int) -> None:
        """Native code has reached a probe."""
        probe = self._probes.get(record)
        if probe is None:
            return
        probe.hits += 1
        known = self._known
        image = self._globals.records.registers
        words = image.tolist()
        registers = Registers(known, words, self._read_only)
        task = self._kernel.tasks.current(cpu)
        hit = Hit(
            cpu=cpu.index,
            task=(self._kernel.tasks.pid(task), self._kernel.tasks.comm(task)),
            address=self._context.ip,
            returns_to=self._context.return_ip or None,
            args=_values(probe.layout, ctypes.string_at(probe.record.entry, LARGEST_ENTRY)),
            registers=registers,
            known=known,
        )
        try:
            probe.callback(hit)
        finally:
            changed = registers.leave()
            if changed != words:
                image[:] = changed
                self._context.written = True


def _values(layout: EntryLayout, entry: bytes) -> Mapping[str, Value]:
    """The arguments in an entry, by name."""
    pairs = zip(layout.arguments, layout.offsets, strict=True)
    return {argument.name: _value(argument, entry, offset) for argument, offset in pairs}


def _value(argument: Argument, entry: bytes, offset: int) -> Value:
    """One argument: a number, a text, or a list of either."""
    kind = argument.type
    places = range(offset, offset + argument.size, kind.size)
    if kind.is_string:
        texts = [_text(entry, int.from_bytes(entry[at : at + kind.size], sys.byteorder)) for at in places]
        return texts if argument.count else texts[0]
    numbers = [int.from_bytes(entry[at : at + kind.size], sys.byteorder, signed=kind.signed) for at in places]
    return numbers if argument.count else numbers[0]


def _text(entry: bytes, where: int) -> str:
    """A string in an entry. `where`: its offset and length."""
    offset, length = where & (1 << _LENGTH) - 1, where >> _LENGTH
    return entry[offset : offset + length].split(b"\0")[0].decode(errors="surrogateescape")
