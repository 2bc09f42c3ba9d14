# SPDX-License-Identifier: GPL-2.0-only
"""emu race: can a CPU execute something that is neither the old nor the new code?"""

from __future__ import annotations

import click

from emu.cli.race.campaign import campaign
from emu.cli.race.certify import certify
from emu.cli.race.check import check
from emu.cli.race.corpus import corpus
from emu.cli.race.generate import generate
from emu.cli.race.herd7 import herd7
from emu.cli.race.replay import replay
from emu.cli.race.show import show

__all__ = ["race"]


@click.group()
def race() -> None:
    """Decide what CPUs may execute while their code is changed.

    Every order of events is tried, under rules of instruction fetch that you choose: a protocol is safe, or a shortest
    schedule shows what goes wrong (docs/race-lab.md).
    """


race.add_command(check)
race.add_command(certify)
race.add_command(corpus)
race.add_command(generate)
race.add_command(show)
race.add_command(replay)
race.add_command(campaign)
race.add_command(herd7)
