# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests with random changes: each is executed, or refused in one line with the position of the error."""

from __future__ import annotations

import contextlib
import random
import re
import traceback
from pathlib import Path

import emu.race
from emu.architectures import ARCHITECTURES
from emu.race.limits import Limits
from emu.race.litmus import Litmus, explore, format_herd7, format_verdict, format_witness, parse
from emu.race.scenario.text_file import TextError
from tests.fuzz import Outcome

__all__ = ["run"]

_LIMITS = Limits(states=60, seconds=1)
_MOST_CHANGES = 4
_ERROR = re.compile(r"fuzz\.litmus:\d+:\d+: [^\n]{10,}")
_WORDS = (
    "P0", "P1", "P9", "|", ";", ":", "{", "}", "(", ")", "[", "]", "~", "=", "/\\", "\\/", ",", "*", "+", "-", "%", '"', "(*",
    "*)", "\n", "0", "1", "-1", "0x7fffffffffffffff", "0xffffffffffffffff",
    "99999999999999999999", "exists", "~exists", "forall", "fetch", "locations [",
    "coherent", "torn1", "word", "X86_64", "SPARC64", ".align 64 + 5", ".byte 0xcc", ".byte", "site", "x", "flag",
    "rax", "r8d", "%o0", "%hi(", "%lo(x)", "qword ptr [x]", "[rip]", "lock", "rep", "int3", "cpuid", "jmp site", "call site",
    ".ipi 1", ".ipi 9", ".ipi", ".interrupt", "mfence", "lfence", "movq $1,(x)", "(x)", "$1", "%rax", "uint64_t", "uint64_t x;",
    "[x]", "RISCV", "x5", "Cycle=Fre", "fence rw, rw", "membar 2",
    "iretq", "hlt", "flush %g1", "save", "ba,a site", "fault", "0:fault", "7:rax", "\0", "\xe9", "\u2028",
)  # fmt: skip

_OF_HERD7 = (
    "X86_64 SB\n\"PodWR Fre\"\nCycle=Fre PodWR\n{ uint64_t x; uint64_t y; uint64_t 0:rax; }\n P0 | P1 ;\n"
    " movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | lock incq (x) ;\nexists (0:rax=0 /\\ [x]=1)\n",
    "RISCV MP\n{\n0:x6=x; 1:x6=x;\n}\n P0 | P1 ;\n ori x5,x0,1 | lw x5,0(x6) ;\n"
    " sw x5,0(x6) | fence w,w ;\nexists (1:x5=1)\n",
)


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Changes the shipped tests of an architecture."""
    outcome = Outcome()
    folder = Path(emu.race.__file__).parent / "corpus"
    texts = [path.read_text() for path in sorted(folder.glob("*.litmus"))]
    texts = [text for text in (*texts, *_OF_HERD7) if text.startswith(arch.upper().removesuffix("64"))]
    for number in numbers:
        changed = _changed(texts, random.Random(f"{seed} {ARCHITECTURES.index(arch)} {number}"))
        try:
            _try(changed, outcome)
        except Exception:
            outcome.findings.append(f"number {number} of seed {seed} on {arch}: {changed!r}\n{traceback.format_exc(limit=-6)}")
    return outcome


def _try(text: str, outcome: Outcome) -> None:
    try:
        litmus = parse(text, "fuzz.litmus")
    except TextError as error:
        outcome.counts["refused"] += 1
        if not _ERROR.fullmatch(str(error)):
            raise
        return
    outcome.counts["accepted"] += 1
    _execute(litmus)


def _execute(litmus: Litmus) -> None:
    verdict = explore(litmus, litmus.fetch[0], _LIMITS)
    format_verdict(verdict)
    format_witness(verdict)
    with contextlib.suppress(ValueError):  # herd7 cannot have it
        format_herd7(litmus)


def _changed(texts: list[str], choices: random.Random) -> str:
    """One of the texts with a few words and characters changed."""
    text = choices.choice(texts)
    for _ in range(choices.randint(1, _MOST_CHANGES)):
        tokens = [(found.start(), found.end()) for found in re.finditer(r"\w+|[^\w\s]|\n", text)] or [(0, 0)]
        start, end = choices.choice(tokens)
        other = choices.choice(tokens)
        match choices.randrange(7):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + choices.choice(_WORDS) + text[end:]
            case 2:
                text = f"{text[:end]} {choices.choice(_WORDS)} {text[end:]}"
            case 3:
                text = text[:start] + text[slice(*other)] + text[end:]
            case 4:
                text = text[:start] + str(choices.choice((0, 1, 5, -1, 255, 256, 1 << 63, 1 << 64))) + text[end:]
            case 5:
                lines = text.split("\n")
                lines.insert(choices.randrange(len(lines)), choices.choice(lines))
                text = "\n".join(lines)
            case _:
                text = text[:start] + chr(choices.randrange(128)) + (text[end:] if choices.random() < 0.7 else "")
    return text
