# SPDX-License-Identifier: GPL-2.0-only
"""The consumers of one trace array: actions of event triggers and of function commands."""

from __future__ import annotations

import errno
from collections.abc import Callable

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventKind
from emu.ftrace.event.files import EventFile, EventFiles
from emu.ftrace.native import trace_records
from emu.ftrace.native.trace_values import ALWAYS
from emu.ftrace.trigger.commands import HIST_COMMANDS

__all__ = ["Consumer", "Consumers"]


class Consumer:
    """One action for native code: the command, its count, and the event that it switches. Made by `Consumers`.

    Attributes:
        target: the event file to switch, which is in soft mode; None if the command switches none.
        record: native code's record of the consumer.
    """

    def __init__(self, command: str, target: EventFile | None, count: int | None) -> None:
        self.target = target
        self.record = trace_records.Consumer.allocate()
        self.record.count = ALWAYS if count is None else count
        self._command = command
        if target is not None:
            self.record.target = target.record.address
            target.enable(soft=True)

    def __str__(self) -> str:
        """As shown in files: `traceoff:count=2`, `enable_event:sched:sched_wakeup:unlimited`."""
        count = self.record.count
        left = "unlimited" if count == ALWAYS else f"count={count if count >> 63 == 0 else count - (1 << 64)}"
        return ":".join([self._command, *([self.target.call.path] if self.target else []), left])

    def release(self) -> None:
        """Stops the consumer."""
        self.record.count = 0
        if self.target is not None:
            self.target.disable(soft=True)


class Consumers:
    """Makes consumers that act on one trace array.

    Args:
        records: the array's records.
        files: the array's event files.
        trace_globals: what the trace arrays share.
        allocate_snapshot: makes room for a snapshot. Raises TraceError: ENOMEM.
    """

    def __init__(
        self, records: ArrayRecords, files: EventFiles, trace_globals: TraceGlobals, allocate_snapshot: Callable[[], None]
    ) -> None:
        self._array = records.array
        self._files = files
        self._globals = trace_globals
        self._allocate_snapshot = allocate_snapshot

    def target(self, system: str, name: str) -> EventFile:
        """The event file of an event to switch.

        Raises:
            TraceError: EINVAL if there is no such event, or it cannot be enabled.
        """
        call = self._globals.events.find(system, name)
        if call is None or call.kind is EventKind.FTRACE:
            known = [call.path for call in self._globals.events.values() if call.kind is not EventKind.FTRACE]
            raise TraceError(errno.EINVAL, f"there is no event '{system}:{name}'", (f"{system}:{name}", known))
        return self._files.file(call)

    def make(self, command: str, target: EventFile | None, count: int | None, *, at_function: bool = False) -> Consumer:
        """Makes a consumer.

        Args:
            command: the command's name.
            target: the event that it switches, if any.
            count: how many times it acts; None: without limit.
            at_function: whether it acts when a function is called, rather than when an event happens.

        Raises:
            TraceError: ENOMEM if there is no room for a snapshot; EOPNOTSUPP if this kernel cannot obey the command.
        """
        self._globals.check_command(command)
        if command == "snapshot":
            self._globals.snapshots.use()
            self._allocate_snapshot()
        made = Consumer(command, target, count)
        if command == "stacktrace":
            callbacks = self._globals.stacks.callbacks()
            made.record.record_stack = callbacks.function_stack if at_function else callbacks.event_stack
        handlers = self._globals.hists.handlers() if command in HIST_COMMANDS else self._globals.trigger_handlers()
        made.record.handler = getattr(handlers, command)
        made.record.array = self._array
        return made
