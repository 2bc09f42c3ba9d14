# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests: small texts in assembly language, executed on a bare board in every order and with every fetch.

litmus = parse(text)
for model in litmus.fetch:
    print(format_verdict(explore(litmus, model)))
"""

from emu.race.litmus.herd7 import format_herd7
from emu.race.litmus.litmus_text import Litmus, parse, read
from emu.race.litmus.litmus_verdict import FinalState, LitmusStep, LitmusVerdict, format_verdict, format_witness
from emu.race.litmus.search import explore

__all__ = [
    "FinalState", "Litmus", "LitmusStep", "LitmusVerdict",
    "explore", "format_herd7", "format_verdict", "format_witness", "parse", "read",
]  # fmt: skip
