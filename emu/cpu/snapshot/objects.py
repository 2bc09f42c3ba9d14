# SPDX-License-Identifier: GPL-2.0-only
"""The Python objects of a machine: all that can be reached from some roots, saved and restored.

Objects are restored in place: references to them stay valid. So a list that a native pointer or a bound method refers to
stays the same list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from emu.cpu.snapshot.kinds import ATOMS, MEMORY, Kind, Thing, Unsaveable, kind_of, memory_of
from emu.cpu.snapshot.pages import Memory

__all__ = ["Contents", "Objects"]

_MOST_CONSTANTS = 10_000


class _Known(NamedTuple):
    """An object with mutable content, and its content."""

    thing: Thing
    kind: Kind
    content: Thing


Contents = dict[int, _Known]
"""The contents of some objects, by id. It keeps these objects, and all objects to which they refer, alive."""


class Objects:
    """The objects that can be reached from `roots`, with their contents at the base.

    Args:
        roots: the objects to start from.
        apart: objects that are saved elsewhere: neither they nor what only they refer to is saved here.

    Attributes:
        memory: large memory, as of the base. The caller must save and restore it.

    Raises:
        Unsaveable: an object cannot be saved.
    """

    def __init__(self, roots: Sequence[object], apart: Collection[object] = ()) -> None:
        self._apart = apart  # kept alive, because another object could get the same id
        self._seen = {id(thing) for thing in apart}
        self._base: Contents = {}
        self._constants: list[Thing] = []
        found, seen = self._reached(roots)
        self._seen |= seen
        self._base = {key: known for key, known in found.items() if known.kind is not MEMORY}
        self.memory: list[Memory] = [memory_of(known.thing) for known in found.values() if known.kind is MEMORY]

    def changed(self) -> set[int]:
        """The ids of the objects whose content differs from the base."""
        return {key for key, (thing, kind, content) in self._base.items() if not kind.same(thing, content)}

    def save(self, keys: Iterable[int]) -> Contents:
        """The contents of some of the base's objects, and of all new objects that can be reached from them.

        Raises:
            Unsaveable: an object cannot be saved.
        """
        if len(self._constants) > _MOST_CONSTANTS:
            self._seen.difference_update(map(id, self._constants))
            self._constants.clear()
        return self._reached([self._base[key].thing for key in keys], self._constants)[0]

    def put_back(self, contents: Contents) -> None:
        """Restores what `save` has returned. All other objects stay as they are."""
        for thing, kind, content in contents.values():
            kind.put_back(thing, content)

    def back_to_base(self, keys: Iterable[int]) -> None:
        """Restores some objects to their content at the base."""
        for key in keys:
            thing, kind, content = self._base[key]
            kind.put_back(thing, content)

    def _reached(self, start: Sequence[object], constants: list[Thing] | None = None) -> tuple[Contents, set[int]]:
        """The contents of `start` and of what can be reached from it, stopping at objects of the base; and the ids of all of
        these.

        Immutable objects without references need not be looked at again: they are added to `constants`.
        """
        found: Contents = {}
        known, seen = self._seen, set[int]()
        todo: list[Thing] = list(start)
        alive: list[Thing] = []  # until the end, because another object could get the same id
        while todo:
            thing = todo.pop()
            key = id(thing)
            if key in seen:
                continue
            seen.add(key)
            try:
                kind = kind_of(type(thing))
            except Unsaveable as error:
                raise Unsaveable(f"{error}{_holder(thing, alive)}") from None
            alive.append(thing)
            parts, copy, _, _ = kind
            if copy is not None:
                found[key] = _Known(thing, kind, copy(thing))
            further = [part for part in parts(thing) if type(part) not in ATOMS and id(part) not in known]
            todo += further
            if constants is not None and copy is None and not further:
                constants.append(thing)
                known.add(key)
        return found, seen


def _holder(thing: object, visited: Iterable[Thing]) -> str:
    """Describes an object that refers to `thing`."""
    for other in visited:
        if any(part is thing for part in kind_of(type(other)).parts(other)):
            return f", which a {type(other).__qualname__} holds"
    return ""
