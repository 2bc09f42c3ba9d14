# SPDX-License-Identifier: GPL-2.0-only
"""The race lab's verdicts about protocols, scenarios and litmus tests that the learner writes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from emu import race
from emu.port.exercises.exam import Exam
from emu.race import litmus
from emu.race.arch import load as load_race
from emu.race.model.model_sites import model_patches
from emu.race.scenario import scenario_file
from emu.race.scenario.protocol_steps import Free
from emu.race.scenario.scenario import Scenario

__all__ = ["freed", "handshake", "one_store", "own_protocol_is_safe", "words"]

_VALUES = 7, 9  # of the written operand
_QUESTION = "forall (1:rdx = 7)"


def own_protocol_is_safe(exam: Exam) -> None:
    """The function `change` of protocol.py: each order of events, with NMIs and without, undone or not."""
    exam.expects("protocol.py:change is safe under each fetch model, at each place, with NMIs and without")
    for verdict in race.certify(f"{exam.folder / 'protocol.py'}:change", exam.arch, cpus=2, sites=1):
        case = verdict.scenario
        nmis = "with" if case.nmi_sites else "without"
        where = f"under {verdict.fetch}, at byte {case.places[0]} of a line, {nmis} NMIs"
        exam.require(verdict.wrong is None and verdict.outcome == "safe", f"{verdict.wrong or verdict.outcome} {where}")


words = own_protocol_is_safe


def _scenario(exam: Exam, name: str, change: str, cpus: int = 2) -> Scenario:
    """The learner's scenario, which still asks the question that it asked."""
    exam.expects(f"{name} is a scenario")
    scenario = scenario_file.read(Path(exam.folder / name))
    exam.expects(f"{name} still is about `{change}`, {cpus} CPUs, and all that can go wrong")
    exam.require(str(scenario.change) == change, f"change {scenario.change}")
    exam.require(scenario.arch == exam.arch and scenario.cpus == cpus, f"{scenario.arch}, {scenario.cpus} CPUs")
    plain = scenario_file.parse("scenario plain\nprotocol stop_machine\n")
    for word in ("never", "handler", "misses", "visits", "deaf", "user", "stores", "codes", "right", "hotplug"):
        exam.require(getattr(scenario, word) == getattr(plain, word), f"`{word}` was changed")
    return scenario


def _safe(exam: Exam, scenario: Scenario, fetch: Sequence[str]) -> None:
    exam.expects(f"{scenario.name} is safe under {', '.join(fetch)}")
    for verdict in race.explore(scenario, fetch=fetch):
        exam.require(verdict.outcome == "safe", f"{verdict.wrong or verdict.outcome} under {verdict.fetch}: {verdict.why}")


def one_store(exam: Exam) -> None:
    """A change of a call's target, under AMD's rules."""
    _safe(exam, _scenario(exam, "one-store.race", "call > call"), ["coherent", "torn8"])


def freed(exam: Exam) -> None:
    """A trampoline is freed when nobody is in it, under each fetch model."""
    scenario = _scenario(exam, "freed.race", "call > nop")
    exam.expects("freed.race frees the trampoline")
    patches = model_patches(scenario)
    steps = scenario.protocol(patches, b"\xcc")
    exam.require(any(isinstance(step, Free) for step in steps), "it does not")
    _safe(exam, scenario, _models(exam))


def handshake(exam: Exam) -> None:
    """CPU 1 always executes the operand that CPU 0 has written, whatever it is."""
    exam.expects("handshake.litmus is a litmus test, with the same last line")
    test = litmus.read(Path(exam.folder / "handshake.litmus"))
    exam.require(test.condition_text == _QUESTION, test.condition_text)
    exam.require(len(test.registers) == 2 and test.registers[0].get("rbx") == _VALUES[0], "other initial values")
    for value in _VALUES:
        other = dataclasses.replace(test, registers=({**test.registers[0], "rbx": value}, test.registers[1]))
        for model in _models(exam):
            exam.expects(f"under {model}, CPU 1 executes the instruction with the operand {value} that CPU 0 has written")
            finals = litmus.explore(other, model).finals
            exam.require(bool(finals), "the program does not end")
            for final in finals:
                (result,) = [number for shown, number in final.values if str(shown) == "1:rdx"]
                exam.require(result == value and not final.faults, f"{final}")


def _models(exam: Exam) -> list[str]:
    return [model.name for model in load_race(exam.arch).fetch_models]
