# SPDX-License-Identifier: GPL-2.0-only
"""Fetch models in order: what one permits, another permits too. Shown for all contents of memory over a few versions."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import pytest

from emu.architectures import ARCHITECTURES
from emu.race.arch import load
from emu.race.scenario.fetch import Views, is_within
from emu.race.scenario.fetch_model import FetchModel

X86 = ("coherent", "translation", "stale", "torn64", "torn16", "torn8", "torn1")
BOUNDARIES = (2, 4, 8, 16, 64)


def histories(versions: int) -> Iterator[tuple[int, ...]]:
    """What a byte holds in each version, but for names: 0, then what it held before or the next number."""
    for held in itertools.product(range(versions), repeat=versions):
        if all(value <= max(held[:n], default=-1) + 1 for n, value in enumerate(held)):
            yield held


def contents(versions: int) -> Iterator[list[bytes]]:
    """Two bytes in each version, such that no version of the one equals one of the other."""
    for first, second in itertools.product(histories(versions), repeat=2):
        yield [bytes((a, 128 + b)) for a, b in zip(first, second, strict=True)]


def permits(strict: FetchModel, other: FetchModel, boundary: int, memory: list[bytes]) -> bool:
    """Whether each sequence of stores, synchronisations and fetches that `strict` permits is one that `other` permits.

    The two bytes lie before and behind a boundary. The CPU fetches the first, the second, or both.
    """
    start = boundary - 1
    own, others = Views(strict, start, memory), Views(other, start, memory)
    own_fetches, other_fetches = (functools.cache(lambda *of, views=views: list(views.fetches(*of))) for views in (own, others))
    first = (0, own.synchronised(0), frozenset((others.synchronised(0),)))
    todo, seen = [first], {first}

    def add(*state: object) -> None:
        if state not in seen:
            seen.add(state)  # type: ignore[arg-type]
            todo.append(state)  # type: ignore[arg-type]

    for now, view, matching in todo:  # grows during the loop
        if now + 1 < len(memory):
            add(now + 1, view, matching)
        add(now, own.synchronised(now), frozenset((others.synchronised(now),)))
        for address, size in ((start, 1), (start + 1, 1), (start, 2)):
            for fetch in own_fetches(view, now, address, size):
                after = {f.view for v in matching for f in other_fetches(v, now, address, size) if f.code == fetch.code}
                if not after:
                    return False
                add(now, fetch.view, frozenset(after))
    return True


def compared(versions: int) -> None:
    """Compares all pairs of models of an architecture with `is_within`."""
    for arch in ARCHITECTURES:
        for strict, other in itertools.permutations(load(arch).fetch_models, 2):
            shown = all(permits(strict, other, at, memory) for at in BOUNDARIES for memory in contents(versions))
            assert shown == is_within(strict, other), (strict.name, other.name)


def test_two_versions() -> None:
    compared(2)


def test_four_versions() -> None:
    compared(4)


def test_on_x86_they_are_a_chain() -> None:
    models = {model.name: model for model in load("x86_64").fetch_models}
    assert set(models) == set(X86)
    for strict, other in itertools.combinations(X86, 2):
        assert is_within(models[strict], models[other]) and not is_within(models[other], models[strict])


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_each_machine_sees_what_a_coherent_one_may(arch: str) -> None:
    models = load(arch).fetch_models
    assert models[0].coherent and all(is_within(models[0], model) for model in models)
