# SPDX-License-Identifier: GPL-2.0-only
"""All kinds of events that are defined at run time: the file dynamic_events.

    p:myopen do_sys_openat2 file=+0(%si):ustring        a kprobe
    s:wakeup_latency u64 lat; pid_t pid                 a synthetic event
    -:kprobes/myopen                                    removes an event
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import ClassVar

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue

__all__ = ["DynamicEvent", "DynamicEventKind", "DynamicEvents"]


class DynamicEvent(ABC):
    """One definition.

    Attributes:
        kind: the kind of the definition.
        call: the event. Several definitions may share it: several probed places.
        users: how many others need the event, not counting trace arrays that enable it. They count themselves.
    """

    kind: DynamicEventKind
    call: EventCall

    def __init__(self) -> None:
        self.users = 0

    @abstractmethod
    def __str__(self) -> str:
        """The command that defines it."""

    def matches(self, arguments: Sequence[str]) -> bool:
        """Whether a removing command that names more than the event, such as its place, matches this definition."""
        return not arguments

    def needs(self, call: EventCall) -> bool:
        """Whether the definition depends on another event."""
        return False

    def needs_module(self, module: str) -> bool:
        """Whether the definition depends on an event of a module."""
        return False

    @property
    def in_use(self) -> bool:
        """Whether anybody needs the event."""
        return self.users > 0 or (self.call.source is not None and self.call.source.in_use)

    @abstractmethod
    def release(self) -> bool:
        """The definition is removed. Returns whether the event is gone with it."""


class DynamicEventKind(ABC):
    """A kind of definitions."""

    file: ClassVar[str] = ""  # the tracefs file with only this kind; "": none

    @abstractmethod
    def takes(self, command: str) -> bool:
        """Whether a command of dynamic_events defines an event of this kind."""

    @abstractmethod
    def create(self, command: str) -> DynamicEvent:
        """Obeys a command that defines an event.

        Raises:
            TraceError: nothing has changed.
        """

    def obey(self, command: str, events: DynamicEvents) -> None:
        """Obeys a command in this kind's own file.

        Raises:
            TraceError: nothing has changed.
        """
        if command.startswith("-"):
            events.remove(command, self)
        elif self.takes(command):
            events.add(self.create(command))
        else:
            raise TraceError(errno.EINVAL, f"'{command}' defines no event of {self.file}")

    def profile(self, events: DynamicEvents) -> str:
        """How often each event happened, for kinds with a profile file in tracefs."""
        return ""

    def shown(self, event: DynamicEvent) -> str:
        """The definition's line in this kind's own file."""
        return str(event)


class DynamicEvents:
    """All definitions, oldest first.

    Args:
        catalogue: all events.
        make_kinds: makes all kinds, when the first definition is made or looked up.
    """

    def __init__(self, catalogue: Catalogue, make_kinds: Callable[[], Sequence[DynamicEventKind]]) -> None:
        self._catalogue = catalogue
        self._events: list[DynamicEvent] = []
        self._gone: Callable[[Collection[EventCall]], None] = lambda calls: None
        self._make_kinds = make_kinds

    @cached_property
    def _kinds(self) -> Sequence[DynamicEventKind]:
        return self._make_kinds()

    def kind(self, file: str) -> DynamicEventKind:
        """The kind that belongs to a tracefs file."""
        return next(kind for kind in self._kinds if kind.file == file)

    def on_gone(self, gone: Callable[[Collection[EventCall]], None]) -> None:
        """Calls `gone` with events that no longer exist."""
        self._gone = gone

    def of(self, kind: DynamicEventKind | None = None) -> Sequence[DynamicEvent]:
        """The definitions of a kind, or all."""
        return [event for event in self._events if kind is None or event.kind is kind]

    def find(self, call: EventCall) -> DynamicEvent | None:
        """A definition of an event; None if the event was not defined at run time."""
        return next((event for event in self._events if event.call is call), None)

    def text(self, kind: DynamicEventKind | None = None) -> str:
        """The text of a kind's file, or of dynamic_events."""
        lines = [kind.shown(event) if kind else str(event) for event in self.of(kind)]
        return "".join(f"{line}\n" for line in lines)

    def obey(self, command: str) -> None:
        """Obeys a command of dynamic_events.

        Raises:
            TraceError: nothing has changed.
        """
        if command.startswith(("-", "!")):
            self.remove(command)
            return
        kind = next((kind for kind in self._kinds if kind.takes(command)), None)
        if kind is None:
            raise TraceError(errno.EINVAL, f"'{command}' defines no event")
        self.add(kind.create(command))

    def add(self, event: DynamicEvent) -> None:
        self._events.append(event)

    def remove(self, command: str, kind: DynamicEventKind | None = None) -> None:
        """Removes the definitions named by a command: `-:[GROUP/][EVENT] [ARGUMENTS]`, or `!s:EVENT` in dynamic_events.

        Raises:
            TraceError: EINVAL if it names nothing; ENOENT if there is no such event; EBUSY if one is in use: then none is
                removed.
        """
        words = command.split()
        head, colon, name = words[0].partition(":")
        if not colon or (command.startswith("-") and head != "-"):
            raise TraceError(errno.EINVAL, f"'{command}': -:[GROUP/]EVENT is needed")
        group, slash, event = name.rpartition("/")
        if not (event or group):
            raise TraceError(errno.EINVAL, f"'{command}' names no event")
        meant = [
            one
            for one in self.of(kind)
            if (not event or one.call.name == event)
            and (not slash or one.call.system == group)
            and one.matches(words[1:])
        ]
        if not meant:
            known = [one.call.path.replace(":", "/") for one in self.of(kind)]
            raise TraceError(errno.ENOENT, f"no event '{name}' was defined", (name, known))
        self._remove(meant)

    def clear(self, kind: DynamicEventKind | None = None) -> None:
        """Removes all definitions of a kind, or all. Raises TraceError: EBUSY if one is in use; then none is removed."""
        self._remove(self.of(kind))

    def _remove(self, events: Iterable[DynamicEvent]) -> None:
        events = list(events)
        staying = {event.call for event in self._events if event not in events}  # even if only one of several probes is removed
        for event in events:
            if event.in_use and event.call not in staying:
                raise TraceError(errno.EBUSY, f"the event {event.call.path} is in use")
        self._drop(events)

    def withdraw(self, event: DynamicEvent) -> None:
        """Removes a definition that has turned out to be impossible, even if the event is in use.

        Definitions made meanwhile that depend on the event are removed with it.
        """
        if event in self._events:
            if not any(other.call is event.call for other in self._events if other is not event):
                self._drop([other for other in self._events if other.needs(event.call)])
            self._drop([event])

    def module_going(self, module: str) -> None:
        """Removes the definitions that depend on events of a module, even if they are in use: the events will be gone."""
        for event in self.of():
            if event.needs_module(module):
                self.withdraw(event)

    def _drop(self, events: Iterable[DynamicEvent]) -> None:
        gone = []
        for event in events:
            self._events.remove(event)
            if event.release():
                self._catalogue.drop(event.call)
                gone.append(event.call)
        if gone:
            self._gone(gone)
