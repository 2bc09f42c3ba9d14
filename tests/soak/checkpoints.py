# SPDX-License-Identifier: GPL-2.0-only
"""A busy machine returns to many instants of its run: from each, the rest is the same again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.lib.busy_machine import act, busy_machine, digest

__all__ = ["Returned", "go_back"]

_REST = 4  # acts that are repeated from an instant on; from some instants, all


class CheckpointFailure(AssertionError):
    """A machine did not continue as before."""


@dataclass
class Returned:
    """The results of a run. `digest`: of its end."""

    instants: int
    patching: int  # the number of instants at which call sites were being changed
    digest: str


def go_back(arch: str, instants: int, seed: int) -> Returned:
    """Takes a checkpoint at each of some instants, and returns to all of them in another order.

    Raises:
        CheckpointFailure: the machine was not the same again, or checkpoints change the run.
    """
    numbers = [seed * 1_000_000 + n for n in range(instants)]
    machine = busy_machine(arch, seed)
    checkpoints, digests, answers = [], [], []
    patching = 0
    for number in numbers:
        checkpoints.append(machine.checkpoint())
        digests.append(digest(machine))
        patching += machine.patching.busy
        answers.append(act(machine, number))
    digests.append(digest(machine))
    order = list(range(instants))
    random.Random(seed).shuffle(order)
    for n, first in enumerate(order):
        machine.restore(checkpoints[first])
        last = instants if n % 10 == 0 else min(first + _REST, instants)
        if digest(machine) != digests[first]:
            raise CheckpointFailure(f"{arch}, seed {seed}: the machine is not as it was at instant {first}")
        again = [act(machine, number) for number in numbers[first:last]]
        if again != answers[first:last] or digest(machine) != digests[last]:
            raise CheckpointFailure(f"{arch}, seed {seed}: from instant {first} to {last} the machine went another way")
    machine.close()
    with busy_machine(arch, seed) as undisturbed:
        if [act(undisturbed, number) for number in numbers] != answers or digest(undisturbed) != digests[-1]:
            raise CheckpointFailure(f"{arch}, seed {seed}: checkpoints have changed the run")
    return Returned(instants, patching, digests[-1])
