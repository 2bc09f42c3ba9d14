# SPDX-License-Identifier: GPL-2.0-only
"""What a worker does: units, one after another. It is the only code of a campaign that runs in workers."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from emu.campaign.build import build, digest_of_module, other_part
from emu.campaign.inputs import changed
from emu.campaign.unit import Measures, Scalar, Unit, is_utf8

__all__ = ["Batch", "Done", "Reply", "perform", "perform_unit", "refusal"]


class Batch(NamedTuple):
    """Units for one worker, and what the worker must be to do them: `build()`, and the digests of modules by name."""

    units: Sequence[Unit]
    build: Mapping[str, str]
    modules: Mapping[str, str]


class Done(NamedTuple):
    """A unit's end.

    Attributes:
        measures: what was measured; None if the unit has failed.
        failed: why it has.
        cpu: seconds of processor time.
    """

    measures: Measures | None
    failed: str
    cpu: float


class Reply(NamedTuple):
    """A worker's answer.

    Attributes:
        worker: its address.
        refused: why it may not do units of this campaign; "": it has done them.
        done: the ends of the batch's units, in order.
    """

    worker: str
    refused: str
    done: Sequence[Done]


def perform(batch: Batch) -> Reply:
    """Does the units of a batch, if this worker may."""
    from distributed import get_worker

    address: str = get_worker().address
    if why := refusal(batch.build, batch.modules):
        return Reply(address, why, ())
    return Reply(address, "", [perform_unit(unit) for unit in batch.units])


def refusal(wanted: Mapping[str, str], modules: Mapping[str, str]) -> str:
    """Why this process may not do a campaign's units; "" if it may."""
    here = build()
    if (part := other_part(wanted, here)) is not None:
        return f"it has another build of emu: {part} {here.get(part, 'absent')}, not {wanted.get(part, 'absent')}"
    for name, digest in modules.items():
        try:
            if digest_of_module(name) != digest:
                return f"it has another module {name}"
        except ValueError:
            return f"it has no module {name}"
    return ""


def perform_unit(unit: Unit) -> Done:
    """Does one unit. Whatever goes wrong in it is its failure."""
    began = time.thread_time()
    measures, failed = None, ""
    try:
        if (path := changed(unit.inputs)) is not None:
            raise ValueError(f"{path} has other contents than when the campaign began")
        measures = _checked(unit, unit.function(unit.parameters, unit.given))
    except OSError as error:
        failed = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except BaseException as error:  # SystemExit, too: the worker is needed for other units
        name = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        failed = " ".join(f"{name}{error}".split())
    return Done(measures, failed, time.thread_time() - began)


def _checked(unit: Unit, measures: object) -> dict[str, Scalar]:
    """The measures, if a table can have them. What is no number is absent."""
    if not isinstance(measures, Mapping):
        raise ValueError(f"the unit's function returns {measures!r}, which is no dictionary")
    found: dict[str, Scalar] = {}
    for name, value in measures.items():
        value = value.item() if isinstance(value, np.generic) else value
        if not isinstance(name, str) or not name or not is_utf8(name):
            raise ValueError(f"measure {name!r}: this is no name")
        if not isinstance(value, Scalar) or not is_utf8(value):
            raise ValueError(f"measure {name}: {value!r} is no text, number or truth value")
        if name in unit.parameters:
            raise ValueError(f"measure {name}: a parameter has this name")
        found[name] = None if isinstance(value, float) and not math.isfinite(value) else value
    return found
