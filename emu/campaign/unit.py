# SPDX-License-Identifier: GPL-2.0-only
"""A unit: one piece of work of a campaign."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

__all__ = ["Json", "Measures", "Scalar", "Unit", "Work", "is_utf8"]

Scalar: TypeAlias = str | int | float | bool | None
Json: TypeAlias = "Scalar | Sequence[Json] | Mapping[str, Json]"
Measures: TypeAlias = Mapping[str, Scalar]
Work: TypeAlias = Callable[[Mapping[str, Scalar], Mapping[str, "Json"]], Measures]


def is_utf8(value: Scalar) -> bool:
    """Whether a value is no text, or a text that can be written."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
    return True


@dataclass(frozen=True)
class Unit:
    """One piece of work. It is pure: what it measures depends on its fields and on the build of emu alone.

    Attributes:
        work: "MODULE:FUNCTION". The function is called with `parameters` and `given`, and returns what it has measured, by name.
        parameters: what tells the unit from the others. They are columns of the table.
        given: what the function needs besides, as JSON has it.
        inputs: the digests of the files and folders that the function reads, by absolute path (`inputs.digests_of`).
        group: units of a group are done by one worker, one after another, as far as possible: they need the same machine, say.
            It does not change what is measured.
    """

    work: str
    parameters: Mapping[str, Scalar]
    given: Mapping[str, Json] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    group: str = ""

    @cached_property
    def key(self) -> str:
        """What identifies the unit: 32 hexadecimal digits. Where its inputs are does not matter, only what is in them.

        Raises:
            ValueError: a parameter is no text, number, truth value or None, or something given is not JSON.
        """
        if wrong := [name for name, value in self.parameters.items() if not isinstance(value, Scalar) or not is_utf8(value)]:
            raise ValueError(f"parameter {wrong[0]}: {self.parameters[wrong[0]]!r} is no text, number or truth value")
        what = [self.work, [*self.parameters.items()], self.given, sorted(self.inputs.values())]
        try:
            text = json.dumps(what, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"a unit must be JSON: {error}") from None
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def function(self) -> Work:
        """The function that does the work.

        Raises:
            ValueError: there is no such function.
        """
        module, _, name = self.work.partition(":")
        try:
            found: Work = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError):
            raise ValueError(f"'{self.work}' is no MODULE:FUNCTION that can be imported here") from None
        return found
