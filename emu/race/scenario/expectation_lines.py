# SPDX-License-Identifier: GPL-2.0-only
"""Parses the lines `expect OUTCOME in N on MODEL...` of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from emu.race.scenario.fetch import ALIASES
from emu.race.scenario.scenario import Expectation, Scenario, Wrong
from emu.race.scenario.text_file import Line, TextFile, Word, quoted

__all__ = ["expectations", "model_of_word"]

_MOST_EVENTS = 1000
_SAFE, _UNSAFE = "safe", "unsafe"


def model_of_word(file: TextFile, word: Word, scenario: Scenario, what: str) -> str:
    """The name of one of a scenario's fetch models, or an alias of it.

    Raises:
        TextError: it is none.
    """
    return file.choice(word._replace(text=ALIASES.get(word.text, word.text)), scenario.models, what)


def expectations(file: TextFile, lines: Sequence[Line], scenario: Scenario) -> dict[str, Expectation]:
    """The expectations in these lines, by fetch model.

    Raises:
        TextError: a line is wrong.
    """
    found: dict[str, Expectation] = {}

    def searched(word: Word) -> str:
        return model_of_word(file, word, scenario, "fetch model that is searched")

    for line in lines:
        if not line.values:
            raise file.error(line.end, "'expect' has no value; safe, unsafe, or what goes wrong")
        word, *on = line.values
        wrong = [name.value for name in Wrong if name in scenario.never and (scenario.live or name is not Wrong.STARVED)]
        text = file.choice(word, [_SAFE, _UNSAFE, *wrong], "outcome of a search")
        events = 0
        if text != _SAFE and on and on[0].text == "in":
            at = on[1] if len(on) > 1 else line.end
            events = file.number(at, range(1, _MOST_EVENTS + 1), "number of events")
            on = on[2:]
        expectation = Expectation(text != _SAFE, None if text in (_SAFE, _UNSAFE) else Wrong(text), events)
        models = list(scenario.models)
        places = [word] * len(models)
        if on:
            if on[0].text != "on":
                may = "nothing, or `on` and fetch models"
                raise file.error(on[0], f"{quoted(on[0].text)} after {quoted(text)}; {may}")
            models = file.distinct(on[1:], searched, line.end, "'on' has no value; at least one fetch model")
            places = on[1:]
        for model, place in zip(models, places, strict=True):
            if model in found:
                raise file.error(place, f"a second expectation on {model}; there is one for each fetch model")
            found[model] = expectation
    return found
