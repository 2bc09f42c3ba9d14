# SPDX-License-Identifier: GPL-2.0-only
"""Checks what a user's own patching protocol returns, before the first step is performed."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from emu.ftrace.sites.patching import Park, Patch, Release, Synchronise, Write

__all__ = ["steps_of"]

_HOST_ADDRESS = re.compile(r" at 0x[0-9a-f]+(?=>)")


def steps_of(
    protocol: Callable[[Sequence[Patch], bytes], object],
    patches: Sequence[Patch],
    breakpoint: bytes,
    kinds: tuple[type, ...] = (Synchronise, Park, Release),
) -> list[Any]:  # each is a Write or one of `kinds`
    """The steps of a protocol for these patches: writes that replace equally many bytes, and steps of the other `kinds`.

    Raises:
        ValueError: the protocol returns something else, or raises. The text continues after "the patching protocol NAME".
    """
    try:
        steps = protocol(patches, breakpoint)
    except (Exception, SystemExit) as error:
        raise ValueError(f"raised {_described(error)}") from error
    if not isinstance(steps, list | tuple):
        raise ValueError(f"returned no list of steps, but {_shown(steps)}")
    for step in steps:
        if isinstance(step, Write):
            _check(step)
        elif not isinstance(step, kinds):
            raise ValueError(f"returned a list with {_shown(step)}, which is no step")
    return list(steps)


def _check(step: Write) -> None:
    if not (isinstance(step.address, int) and isinstance(step.expected, bytes) and isinstance(step.new, bytes)):
        raise ValueError(f"returned a Write that is not of an int and two bytes: {_shown(step)}")
    if len(step.expected) != len(step.new):
        raise ValueError(f"writes {len(step.new)} bytes over {len(step.expected)} at {step.address:#x}")


def _shown(thing: object) -> str:
    """An object, for a sentence: at most one line of it, and equal in every run."""
    try:
        text = _HOST_ADDRESS.sub("", " ".join(repr(thing).split()))
    except Exception:
        text = f"something that is a {type(thing).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _described(error: BaseException) -> str:
    """An exception, and where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())
    kind = type(error).__name__
    return f"{kind}{': ' if text else ''}{text} ({Path(where.filename).name}, line {where.lineno})"
