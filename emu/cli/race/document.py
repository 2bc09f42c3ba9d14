# SPDX-License-Identifier: GPL-2.0-only
"""The output of --json: one document. Its keys are those of the dataclasses listed in docs/race-lab.md."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.race import Event, Verdict
    from emu.race.litmus import LitmusVerdict

__all__ = ["json_text", "litmus_object", "verdict_object"]


def json_text(document: dict[str, object]) -> str:
    """The printed text of the document."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def verdict_object(verdict: Verdict) -> dict[str, object]:
    """A verdict as a JSON object. Times are left out, because they differ from run to run."""
    scenario = verdict.scenario
    expected = scenario.expected(verdict.fetch)
    return {
        "scenario": scenario.name,
        "arch": scenario.arch,
        "protocol": scenario.protocol_text,
        "change": scenario.change_text,
        "places": list(scenario.places),
        "cpus": scenario.cpus,
        "any_number_of_cpus": verdict.any_number_of_cpus,
        "nmi_sites": sorted(scenario.nmi_sites),
        "fetch": verdict.fetch,
        "on": verdict.on,
        "outcome": verdict.outcome.value,
        "wrong": verdict.wrong and verdict.wrong.value,
        "why": verdict.why,
        "expected": expected and ("safe" if not expected.unsafe else expected.wrong.value if expected.wrong else "unsafe"),
        "ok": verdict.ok,
        "states": verdict.states,
        "moves": verdict.moves,
        "coverage": {name: list(of) for name, of in verdict.coverage.items()},
        "assumptions": list(verdict.assumptions),
        "schedule": _events(verdict.schedule),
    }


def litmus_object(verdict: LitmusVerdict) -> dict[str, object]:
    """A litmus test's verdict as a JSON object."""
    litmus, witness = verdict.litmus, verdict.witness
    return {
        "test": litmus.name,
        "arch": litmus.arch,
        "fetch": verdict.fetch,
        "condition": litmus.condition_text,
        "ok": verdict.ok,
        "why": verdict.why,
        "states": verdict.states,
        "steps": verdict.steps,
        "finals": [str(final) for final in verdict.finals],
        "positive": verdict.positive,
        "negative": verdict.negative,
        "assumptions": list(verdict.assumptions),
        "witness": [
            {
                "cpu": step.cpu,
                "address": step.address,
                "fetched": step.fetched.hex(),
                "memory": step.memory.hex(),
                "text": step.text,
            }
            for step in (witness.schedule if witness else ())
        ],
    }


def _events(events: Iterable[Event]) -> list[dict[str, object]]:
    return [
        {
            "agent": event.agent,
            "what": event.what.value,
            "site": event.site,
            "offset": event.offset,
            "code": event.code.hex(),
            "versions": list(event.versions),
            "text": event.text,
        }
        for event in events
    ]
