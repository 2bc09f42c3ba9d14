# SPDX-License-Identifier: GPL-2.0-only
"""Any scenario can be written as a text and read back."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.architectures import ARCHITECTURES
from emu.cpu import arch as cpu_arch
from emu.ftrace import arch as ftrace_arch
from emu.race import arch as race_arch
from emu.race.model.model_sites import model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import LAB_PROTOCOLS, stages
from emu.race.scenario.protocol_text import ChangedProtocol, ShippedProtocol, WrittenProtocol, WrittenWrite
from emu.race.scenario.scenario import WHOLE, Deferral, Expectation, Handler, Hotplug, Scenario, Stack, Wrong
from emu.race.scenario.scenario_file import parse
from emu.race.scenario.scenario_format import format


@st.composite
def _named(draw: st.DrawFn, arch: str, places: tuple[int, ...], change: Change) -> tuple[object, int]:
    fit = (*ftrace_arch.load(arch).protocols, *(race_arch.load(arch).protocols if change.of_a_pair else ()), "flush")
    names = [name for name in LAB_PROTOCOLS if name in fit]
    protocol: ShippedProtocol | ChangedProtocol = ShippedProtocol(draw(st.sampled_from(names)))
    scenario = Scenario("x", protocol, "", arch=arch, places=places, change=change)
    for _ in range(draw(st.integers(0, 2))):
        count = len(stages(dataclasses.replace(scenario, protocol=protocol).steps(model_patches(scenario))))
        numbers = draw(st.permutations(range(1, count + 1)))
        if count >= 2 and draw(st.booleans()):
            protocol = ChangedProtocol(protocol, swap=(numbers[0], numbers[1]))
        elif count >= 1:
            protocol = ChangedProtocol(protocol, without=tuple(numbers[: draw(st.integers(1, count))]))
    return protocol


@st.composite
def _written(draw: st.DrawFn, arch: str, sites: int, size: int) -> WrittenProtocol:
    parts = {"all": size, "+0": 1, f"+1..{size - 1}": size - 1} | ({"head": 1, "tail": 4} if arch == "x86_64" else {})

    def write() -> WrittenWrite:
        part = draw(st.sampled_from(sorted(parts)))
        bytes_ = draw(st.binary(min_size=parts[part], max_size=parts[part])).hex(" ")
        values = ["old", "new", bytes_] + ["breakpoint"] * (part in ("head", "+0") and arch == "x86_64")
        return WrittenWrite(part, draw(st.sampled_from(values)), draw(st.integers(0, sites)))

    words = st.sampled_from(("sync", "park", "release", "free", "wait-tasks", "forget"))
    return WrittenProtocol(tuple(draw(words) if draw(st.booleans()) else write() for _ in range(draw(st.integers(1, 8)))))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    arch = draw(st.sampled_from(sorted(ARCHITECTURES)))
    alignment = cpu_arch.load(arch).instruction_alignment
    offsets = range(0, 64, alignment)
    places = tuple(draw(st.lists(st.sampled_from(offsets), min_size=1, max_size=3)))
    change = draw(st.sampled_from(race_arch.load(arch).changes))
    size = len(model_patches(Scenario("x", ShippedProtocol("flush"), "flush", arch=arch, change=change))[0].old)
    protocol = draw(_written(arch, len(places), size) if draw(st.booleans()) else _named(arch, places, change))
    sites = st.frozensets(st.integers(1, len(places)))
    trapped = sites if arch == "x86_64" else st.just(frozenset[int]())
    user = draw(st.booleans())
    codes = draw(st.none() | st.tuples(st.binary(min_size=size, max_size=size), st.binary(min_size=size, max_size=size)))
    right = draw(st.lists(st.binary(min_size=1, max_size=size), max_size=2))
    words = st.text(st.characters(exclude_characters='"#', categories=("L", "N", "P", "S")), min_size=1, max_size=12)
    scenario = Scenario(
        " ".join(draw(st.lists(words, min_size=1, max_size=3))), protocol, protocol.text,
        " ".join(draw(st.lists(words, max_size=4))),
        arch, places, Change.NOP_TO_CALL if codes else change, codes, tuple(right),
        draw(st.frozensets(st.sampled_from(("old", "new")))) if codes else frozenset(),
        handler=draw(st.sampled_from(Handler) if arch == "x86_64" else st.just(Handler.EMULATE)),
        misses=draw(trapped), handler_sites=draw(trapped),
        nmi_sites=draw(sites), irq_sites=draw(sites), idle_sites=draw(sites), hotplug=draw(st.sampled_from(Hotplug)),
        nests=arch == "x86_64" and draw(st.booleans()),
        ist=draw(st.frozensets(st.sampled_from(Stack))) if arch == "x86_64" else frozenset(),
        stores=draw(st.sampled_from((0, 1, 8, 16, WHOLE))), user=user,
        deferral=draw(st.sampled_from(Deferral)) if user else Deferral.WATCHING,
        entry_sites=draw(sites) if user else frozenset(), visits=draw(st.integers(0, 100)),
        cpus=draw(st.integers(1, 8)), never=draw(st.frozensets(st.sampled_from(Wrong), min_size=1)),
    )  # fmt: skip
    into = frozenset(draw(st.sets(st.sampled_from(scenario.offsets)))) - {0}
    scenario = dataclasses.replace(scenario, into=into)
    writes = sum(hasattr(step, "new") for step in scenario.steps(model_patches(scenario)))
    scenario = dataclasses.replace(scenario, fails_at=draw(st.integers(0, writes)))
    models = draw(st.lists(st.sampled_from(scenario.models), unique=True))
    scenario = dataclasses.replace(scenario, fetch=tuple(models))
    wrong = st.sampled_from(sorted(scenario.never))
    one = st.one_of(st.builds(Expectation, st.booleans()), st.builds(Expectation, st.just(True), wrong, st.integers(0, 1000)))
    return dataclasses.replace(scenario, expect=draw(st.dictionaries(st.sampled_from(scenario.models), one)))


@settings(max_examples=60)
@given(scenarios())
def test_any_scenario_is_written_and_read_back(scenario: Scenario) -> None:
    text = format(scenario)
    again = parse(text)
    assert again == scenario
    assert format(again) == text


@settings(max_examples=60)
@given(scenarios())
def test_any_steps_are_written_out(scenario: Scenario) -> None:
    """A function written by the user cannot be expressed in the text."""
    protocol = scenario.protocol
    own = dataclasses.replace(scenario, protocol=lambda *arguments: protocol(*arguments), protocol_text="own", fails_at=0)
    steps = own.steps(model_patches(own))
    if steps:
        again = parse(format(own))
        assert again.steps(model_patches(again)) == steps
