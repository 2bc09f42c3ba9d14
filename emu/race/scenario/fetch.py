# SPDX-License-Identifier: GPL-2.0-only
"""What an instruction fetch may see of bytes that another CPU changes.

Memory has *versions*: version k is memory after the first k stores of a patching protocol; a store that is not atomic is
several. A CPU has last synchronised at some version, and may see that one or a later one. What it fetches is made of
*units*, the aligned pieces of `granule` bytes: all bytes of a unit are of one version.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from emu.architectures import ARCHITECTURES
from emu.race.arch import load
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["ALIASES", "MODELS", "Fetch", "View", "Views", "is_within", "model_of"]

View: TypeAlias = tuple[int, ...]

MODELS: Mapping[str, FetchModel] = {model.name: model for name in ARCHITECTURES for model in load(name).fetch_models}
"""Those of all architectures."""

ALIASES: Mapping[str, str] = {"intel": "torn1", "amd": "torn8"}


def model_of(arch: str, name: str) -> FetchModel:
    """The fetch model of a name.

    Raises:
        ValueError: the architecture has none of that name. The text says which it has.
    """
    known = {model.name: model for model in load(arch).fetch_models}
    if name not in known:
        raise ValueError(f"{arch} has no fetch model '{name}'; it has {', '.join(known)}")
    return known[name]


def is_within(model: FetchModel, other: FetchModel) -> bool:
    """Whether a CPU of `other` may see all that one of `model` may, if their stores are whole in equal pieces.

    Then what is unsafe under `model` is unsafe under `other`.
    """
    if model.coherent or other.coherent:
        return model.coherent
    return model.granule % other.granule == 0 and (model.monotone or not other.monotone)


class Fetch(NamedTuple):
    """A possible fetch.

    Attributes:
        code: the bytes seen.
        view: the CPU's view afterwards.
        versions: the version of each unit that contains some of the bytes.
    """

    code: bytes
    view: View
    versions: tuple[int, ...]


class Views:
    """The versions of a region of code, and what a CPU may fetch of it.

    A CPU's view says which versions it may still see: for a monotone model a version for each unit, otherwise one for all, and
    nothing for a coherent one. Views that permit the same are equal.

    Args:
        model: the fetch model.
        start: the address of the first byte.
        versions: the contents over time; all of equal length.
    """

    def __init__(self, model: FetchModel, start: int, versions: Sequence[bytes]) -> None:
        self.model = model
        self.start = start
        self.versions = list(versions)
        end = start + len(versions[0])
        granule = model.granule
        self.units = list(itertools.pairwise([start, *range((start // granule + 1) * granule, end, granule), end]))
        # Consecutive versions of a unit with equal contents are merged with the first of them.
        self._first = [self._firsts(begin - start, stop - start) for begin, stop in self.units]

    def _firsts(self, begin: int, stop: int) -> list[int]:
        firsts: list[int] = []
        for number, data in enumerate(self.versions):
            same = number > 0 and data[begin:stop] == self.versions[number - 1][begin:stop]
            firsts.append(firsts[-1] if same else number)
        return firsts

    def synchronised(self, now: int) -> View:
        """The view of a CPU that synchronises when memory has version `now`."""
        if self.model.coherent:
            return ()
        return tuple(firsts[now] for firsts in self._first) if self.model.monotone else (now,)

    def fetches(self, view: View, now: int, address: int, size: int) -> Iterator[Fetch]:
        """All possible fetches of `size` bytes, newest bytes first, when memory has version `now`."""
        touched = [n for n, (begin, stop) in enumerate(self.units) if begin < address + size and stop > address]
        choices = [self._choices(unit, view, now, address, size) for unit in touched]
        for chosen in itertools.product(*choices):
            after = list(view)
            if self.model.monotone:
                for unit, (_, version) in zip(touched, chosen, strict=True):
                    after[unit] = version
            yield Fetch(b"".join(data for data, _ in chosen), tuple(after), tuple(version for _, version in chosen))

    def _choices(self, unit: int, view: View, now: int, address: int, size: int) -> list[tuple[bytes, int]]:
        """What may be seen of a unit, with its version."""
        begin, stop = self.units[unit]
        part = slice(max(begin, address) - self.start, min(stop, address + size) - self.start)
        oldest = now if self.model.coherent else view[unit if self.model.monotone else 0]
        found: dict[object, tuple[bytes, int]] = {}
        for number in range(now, oldest - 1, -1):
            version = self._first[unit][number]
            data = self.versions[number][part]
            # If a CPU may go back, versions with equal contents are equivalent.
            found.setdefault(version if self.model.monotone else data, (data, max(version, oldest)))
        return list(found.values())
