# SPDX-License-Identifier: GPL-2.0-only
"""The past contents of the code's memory that a CPU may still fetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from emu.race.scenario.fetch import Fetch, View, Views
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["CodeMemory", "CodeState", "Rest"]

_MOST_VIEWS = 1 << 12  # cached for one search


class Rest(NamedTuple):
    """The rest of a non-atomic store that a CPU has not performed yet.

    Attributes:
        offset: from the start of the code.
        data: the bytes.
    """

    offset: int
    data: bytes


class CodeState(NamedTuple):
    """The code at one moment. States with the same possible fetches are equal.

    Attributes:
        versions: the contents of memory over time, oldest first; the last one is the present contents.
        views: the versions that each CPU may still see (`Views`).
    """

    versions: tuple[bytes, ...]
    views: tuple[View, ...]

    @property
    def now(self) -> bytes:
        return self.versions[-1]


class CodeMemory:
    """The rules of one fetch model for a region of code.

    Args:
        model: the fetch model.
        start: the address of the first byte.
    """

    def __init__(self, model: FetchModel, start: int) -> None:
        self._model = model
        self._start = start
        self._views: dict[tuple[bytes, ...], Views] = {}

    def begin(self, code: bytes, cpus: int) -> CodeState:
        """The initial state: every CPU sees the present contents of memory."""
        return CodeState((code,), (self._of((code,)).synchronised(0),) * cpus)

    def _of(self, versions: tuple[bytes, ...]) -> Views:
        if versions not in self._views:
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            self._views[versions] = Views(self._model, self._start, versions)
        return self._views[versions]

    def pieces(self, before: bytes, after: bytes) -> list[Rest]:
        """The store that turned `before` into `after`, split into parts that become visible one by one (`FetchModel.store`)."""
        found: list[Rest] = []
        changed = [n for n in range(len(before)) if before[n] != after[n]]
        atom = self._model.store
        for n in changed:
            if found and (self._start + found[-1].offset) // atom == (self._start + n) // atom:
                offset = found[-1].offset
                found[-1] = Rest(offset, after[offset : n + 1])
            else:
                found.append(Rest(n, after[n : n + 1]))
        return found

    def stored(self, state: CodeState, code: bytes) -> CodeState:
        """The contents of memory have changed."""
        return self._tidy((*state.versions, code), state.views) if code != state.now else state

    def seen(self, state: CodeState, cpu: int, view: View) -> CodeState:
        """A CPU's view has changed."""
        if view == state.views[cpu]:
            return state
        return self._tidy(state.versions, (*state.views[:cpu], view, *state.views[cpu + 1 :]))

    def synchronised(self, state: CodeState, cpu: int) -> CodeState:
        """A CPU sees only the present contents of memory."""
        return self.seen(state, cpu, self._of(state.versions).synchronised(len(state.versions) - 1))

    def _tidy(self, versions: tuple[bytes, ...], views: tuple[View, ...]) -> CodeState:
        """Removes versions that no CPU can see any more."""
        if self._model.coherent:
            return CodeState(versions[-1:], views)
        if self._model.monotone:
            return self._without_old(versions, views)
        # A CPU may go back: versions that occur again later need not be kept.
        kept = [n for n, code in enumerate(versions) if n >= min(views)[0] and code not in versions[n + 1 :]]
        return CodeState(tuple(versions[n] for n in kept), tuple((sum(n < oldest for n in kept),) for (oldest,) in views))

    def _without_old(self, versions: tuple[bytes, ...], views: tuple[View, ...]) -> CodeState:
        """Drops versions of which no CPU can still see any unit, for a monotone model."""
        drop = len(versions) - 1
        for number, (begin, end) in enumerate(self._of(versions).units):
            part = slice(begin - self._start, end - self._start)
            for oldest in {view[number] for view in views}:
                newest = oldest  # among those with equal contents
                while newest < drop and versions[newest + 1][part] == versions[oldest][part]:
                    newest += 1
                drop = min(drop, newest)
        return CodeState(versions[drop:], tuple(tuple(max(oldest - drop, 0) for oldest in view) for view in views))

    def fetches(self, state: CodeState, cpu: int, address: int, size: int, length: Callable[[bytes], int]) -> Iterator[Fetch]:
        """Every instruction that a CPU may fetch, newest first, with the view afterwards.

        Args:
            size: maximum number of bytes of an instruction at `address`.
            length: returns the size of the instruction at the start of some bytes; 0 if it is incomplete or invalid.
        """
        end = min(address + size, self._start + len(state.now))
        here = slice(address - self._start, end - self._start)
        code, view = state.now[here], state.views[cpu]
        if all(version[here] == code for version in state.versions):
            yield Fetch(code[: length(code) or None], view, ())
            return
        found = self._instructions(state, view, address, end, length)
        if self._model.monotone:  # of versions with equal contents, the oldest permits everything that newer ones do
            yield from {fetch.code: fetch for fetch in found}.values()
            return
        seen = set()
        for fetch in found:
            if fetch.code not in seen:
                seen.add(fetch.code)
                yield fetch

    def _instructions(
        self, state: CodeState, view: View, address: int, end: int, length: Callable[[bytes], int], before: bytes = b""
    ) -> Iterator[Fetch]:
        """The same with repetitions: fetches unit by unit until an instruction is complete. `before`: the bytes so far."""
        views = self._of(state.versions)
        stop = min(end, next(stop for _, stop in views.units if stop > address))
        for fetch in views.fetches(view, len(state.versions) - 1, address, stop - address):
            code = before + fetch.code
            size = length(code)
            if size or stop == end:
                yield fetch._replace(code=code[: size or None])
            else:
                for more in self._instructions(state, fetch.view, stop, end, length, code):
                    yield more._replace(versions=(*fetch.versions, *more.versions))
