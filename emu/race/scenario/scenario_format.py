# SPDX-License-Identifier: GPL-2.0-only
"""Writes scenarios as text files, which `scenario_file` reads."""

from __future__ import annotations

import dataclasses

from emu.ftrace.sites.own_protocol import steps_of
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_lines import ProtocolParser
from emu.race.scenario.protocol_steps import STEP_KINDS, LabStep, checked
from emu.race.scenario.protocol_text import ChangedProtocol, FileProtocol, ShippedProtocol, WrittenProtocol, written
from emu.race.scenario.scenario import WHOLE, Deferral, Expectation, Handler, Hotplug, LabProtocol, Scenario, Wrong
from emu.race.scenario.text_file import TextError, TextFile, one_line

__all__ = ["format"]


def format(scenario: Scenario, *, files: bool = True) -> str:
    """The text of a scenario, which `parse` turns into an equal one.

    Args:
        scenario: the scenario, whose steps must be within its sites.
        files: whether a FILE.py:FUNCTION is kept; otherwise its steps are written out.

    Raises:
        ValueError: its protocol cannot be performed.
    """
    name = " ".join(one_line(scenario.name).replace("#", "").replace('"', "'").split()) or "unnamed"
    lines = [_line("scenario", name)]
    if scenario.about:
        lines.append(f'"{one_line(scenario.about).replace(chr(34), chr(39))}"')
    lines += [_line("arch", scenario.arch), _line("place", *scenario.places)]
    if scenario.codes:
        lines += [_line(word, code.hex(" ")) for word, code in zip(("old", "new"), scenario.codes, strict=True)]
        lines += [_line("calls", *sorted(scenario.calls, reverse=True))] if scenario.calls else []
    else:
        lines.append(_line("change", scenario.change))
    lines += [_line("right", code.hex(" ")) for code in scenario.right]
    lines += _protocol_lines(scenario, files)
    for other in scenario.others:
        alone = dataclasses.replace(scenario, protocol=other.protocol, protocol_text=other.text, others=())
        first, *below = _protocol_lines(alone, files)
        lines += [_line("patcher", *["preempts"] * other.preempts, *first.split()[1:]).rstrip(), *below]
    if scenario.fails_at:
        lines.append(_line("fails", scenario.fails_at))
    if scenario.handler is not Handler.EMULATE:
        lines.append(_line("handler", scenario.handler))
    for word, numbers in (
        ("misses", scenario.misses),
        ("nmi", scenario.nmi_sites),
        ("irq", scenario.irq_sites),
        ("idle", scenario.idle_sites),
        ("into", scenario.into),
        ("in-handler", scenario.handler_sites),
        ("deaf", scenario.deaf),
        ("entry", scenario.entry_sites),
    ):
        if numbers:
            lines.append(_line(word, *sorted(numbers)))
    if scenario.user:
        lines.append("user" if scenario.deferral is Deferral.WATCHING else _line("user", scenario.deferral))
    if scenario.hotplug is not Hotplug.NONE:
        lines.append(_line("hotplug", scenario.hotplug))
    if scenario.nests:
        lines.append("nests")
    if scenario.ist:
        lines.append(_line("ist", *sorted(scenario.ist)))
    if scenario.stores:
        lines.append(_line("stores", "whole" if scenario.stores == WHOLE else scenario.stores))
    if scenario.visits:
        lines.append(_line("visits", scenario.visits))
    lines.append(_line("cpus", scenario.cpus))
    if scenario.fetch:
        lines.append(_line("fetch", *scenario.fetch))
    if scenario.never != frozenset(Wrong):
        lines.append(_line("never", *(wrong for wrong in Wrong if wrong in scenario.never)))
    if scenario.live:
        lines.append("live")
    return "\n".join([*lines, *_expect_lines(scenario), ""])


def _line(word: str, *values: object) -> str:
    return f"{word:9} {' '.join(map(str, values))}"


def _protocol_lines(scenario: Scenario, files: bool) -> list[str]:
    protocol = scenario.protocol
    if not isinstance(protocol, WrittenProtocol):
        text = protocol.text if isinstance(protocol, ShippedProtocol | FileProtocol | ChangedProtocol) else scenario.protocol_text
        if _is_named(scenario, text) or (files and _of_a_file(protocol)):
            return [_line("protocol", text)]
        patches = model_patches(scenario)
        steps = checked(steps_of(protocol, patches, scenario.breakpoint, STEP_KINDS), patches)
        protocol = written(steps, patches, scenario.breakpoint)
    return ["protocol", *(f"    {line}" for line in protocol.lines)]


def _of_a_file(protocol: LabProtocol) -> bool:
    while isinstance(protocol, ChangedProtocol):
        protocol = protocol.protocol
    return isinstance(protocol, FileProtocol)


def _is_named(scenario: Scenario, text: str) -> bool:
    """Whether the text is the name of a shipped protocol, with changes, that makes the scenario's steps."""
    file = TextFile(_line("protocol", one_line(text)), "")
    try:
        _, steps = ProtocolParser(file, scenario, None).protocol(file.lines[0], ())
    except TextError:
        return False
    patches = model_patches(scenario)
    own: list[LabStep] = checked(steps_of(scenario.protocol, patches, scenario.breakpoint, STEP_KINDS), patches)
    return steps == own


def _expect_lines(scenario: Scenario) -> list[str]:
    by_expectation: dict[Expectation, list[str]] = {}
    for model in scenario.models:
        expectation = scenario.expected(model)
        if expectation is not None:
            by_expectation.setdefault(expectation, []).append(model)
    lines = []
    for expectation, models in by_expectation.items():
        outcome = expectation.wrong or ("unsafe" if expectation.unsafe else "safe")
        events = ("in", expectation.events) if expectation.events else ()
        lines.append(_line("expect", outcome, *events, *(() if len(models) == len(scenario.models) else ("on", *models))))
    return lines
