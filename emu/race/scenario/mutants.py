# SPDX-License-Identifier: GPL-2.0-only
"""Protocols that differ from one in a stage or two: with each stage omitted, and each two swapped."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from emu.ftrace.sites.patching import Patch
from emu.race.scenario.protocol_steps import stages
from emu.race.scenario.protocol_text import ChangedProtocol, NamedProtocol

__all__ = ["mutants"]


def mutants(protocol: NamedProtocol, patches: Sequence[Patch], breakpoint: bytes) -> list[ChangedProtocol]:
    """All mutants whose steps differ from the protocol's. Their `text` is their name."""
    steps = protocol(patches, breakpoint)
    numbers = range(1, len(stages(steps)) + 1)
    left_out = [ChangedProtocol(protocol, without=(number,)) for number in numbers]
    swapped = [ChangedProtocol(protocol, swap=pair) for pair in itertools.combinations(numbers, 2)]
    return [mutant for mutant in (*left_out, *swapped) if list(mutant(patches, breakpoint)) != list(steps)]
