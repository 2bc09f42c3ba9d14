# SPDX-License-Identifier: GPL-2.0-only
"""AArch64's rules of instruction fetch: what they say, and that herd7 says the same where the lab decides.

The last tests need herd7 (`HERD7`, `HERD7_LIBRARY`: as for test_herd7.py). `HERD7_IFETCH` may name a folder with its published
tests, catalogue/aarch64-ifetch/tests in herd7's repository.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from emu.race.ifetch import Result, explore, format_result, parse
from emu.race.scenario.text_file import TextError

HERD7 = os.environ.get("HERD7") or shutil.which("herd7")
PUBLISHED = os.environ.get("HERD7_IFETCH")
FEW, MANY = 300, 20_000

FLUSH = ("DC CVAU,X1", "DSB ISH", "IC IVAU,X1", "DSB ISH")


def of_columns(*columns: list[str], condition: str, quantifier: str = "exists", name: str = "test") -> str:
    """A test whose P0 stores NOP over the branch at P1's label `site`. X3 is a flag, X5 another word."""
    state = " ".join(f"{cpu}:X1=P1:site; {cpu}:X3=flag; {cpu}:X5=y;" for cpu in range(len(columns)))
    rows = [" | ".join(column[n] if n < len(column) else "" for column in columns) for n in range(max(map(len, columns)))]
    heads = " | ".join(f"P{cpu}" for cpu in range(len(columns)))
    text = "\n".join(f" {row} ;" for row in rows)
    return f"AArch64 {name}\n{{ 0:X0=NOP; {state} }}\n {heads} ;\n{text}\n{quantifier} ({condition})\n"


SITE = ["site: B over", "MOV W9,#1", "over:"]
SEND = ["MOV W2,#1", "STR W2,[X3]"]


def message(writer: list[str], reader: list[str]) -> Result:
    """Whether a CPU executes the old branch after it has seen the flag: `ok`, or not decided."""
    return explore(parse(of_columns(
        ["STR W0,[X1]", *writer, *SEND], ["LDR W2,[X3]", *reader, *SITE], condition="1:X2=1 /\\ 1:X9=0"
    )))  # fmt: skip


def test_the_whole_sequence_makes_code_new() -> None:
    found = message([*FLUSH], ["CBNZ W2,next", "next: ISB"])
    assert (found.observation, found.ok, found.why) == ("Never", False, "")


@pytest.mark.parametrize("left_out", range(4))
def test_each_of_its_instructions_is_needed(left_out: int) -> None:
    writer = [*FLUSH[:left_out], *FLUSH[left_out + 1 :]]
    found = message([*writer, "DSB ISH"] if left_out == 3 else writer, ["CBNZ W2,next", "next: ISB"])
    if left_out == 3:  # the last DSB is also what orders the flag
        assert found.observation == "Never"
    else:
        assert found.observation == "Sometimes"


def test_the_reader_needs_an_isb_and_a_dependency_or_a_dsb_before_it() -> None:
    assert message([*FLUSH], []).observation == "Sometimes"
    assert message([*FLUSH], ["DSB ISH", "ISB"]).observation == "Never"
    assert message([*FLUSH], ["ISB"]).why == "an ISB is not ordered behind a load of shared memory"


def test_the_reader_may_clean_and_invalidate_itself() -> None:
    assert message(["DMB ISH"], ["DSB ISH", *FLUSH, "ISB"]).observation == "Never"
    assert message(["DMB ISH"], ["DSB ISH", *FLUSH[2:], "ISB"]).observation == "Sometimes"


def test_accesses_that_are_not_ordered_are_not_decided() -> None:
    assert message([], ["DSB ISH", "ISB"]).why == "the accesses to P1:3 and flag are not ordered by a dependency or a barrier"
    assert message(["DMB ISH"], ["DMB ISH", *FLUSH, "ISB"]).observation == "Never"
    found = message(["DMB ISH"], ["DMB LD", *FLUSH, "ISB"])
    assert found.why and found.ok is None and "Not decided: " in format_result(parse(of_columns(SITE, condition="0:X9=0")), found)


def test_ones_own_code() -> None:
    def own(*between: str) -> str:
        text = of_columns(["STR W0,[X1]", *between, *SITE], condition="0:X9=0").replace("P1:site", "P0:site")
        return explore(parse(text)).observation

    assert own(*FLUSH, "ISB") == "Never"
    assert own("ISB") == own("DSB ISH", "ISB") == own(*FLUSH[:2], "ISB") == own(*FLUSH[2:], "ISB") == "Sometimes"


def test_fetches_of_one_place_may_go_back_until_it_is_invalidated() -> None:
    twice = ["BL sub", "MOV W6,W9", "MOV W9,#0", "BL sub", "B end", "sub: NOP", *SITE, "RET", "end:"]
    for writer, back in (([], "Sometimes"), ([*FLUSH], "Sometimes")):
        found = explore(parse(of_columns(["STR W0,[X1]", *writer], twice, condition="1:X6=1 /\\ 1:X9=0")))
        assert found.observation == back


@pytest.mark.parametrize(("quantifier", "ok"), [("exists", True), ("~exists", False), ("forall", False)])
def test_quantifiers(quantifier: str, ok: bool) -> None:
    found = explore(parse(of_columns(["STR W0,[X1]"], SITE, condition="1:X9=1", quantifier=quantifier)))
    assert (found.ok, found.observation) == (ok, "Sometimes")


def test_a_result_is_written_as_herd7_does() -> None:
    test = parse(of_columns(["STR W0,[X1]"], SITE, condition="1:X9=1", name="free"))
    assert format_result(test, explore(test)) == """\
Test free
States 2
1:X9=0;
1:X9=1;
Ok
Condition exists (1:X9=1)
Observation free Sometimes 1 1
Searched 6 states
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("AArch64", "no test of herd7 for AArch64"), ("X86_64 t\n{ }\n P0 ;\nexists (x=1)", "no test of herd7 for AArch64"),
        ("AArch64 t\n{ }\n P1 ;\nexists (x=1)", "no columns"),
        ("AArch64 t\n{ }\n P0 ;\n NOP ;\nexists (x)", "is nothing of a condition"),
        ("AArch64 t\n{ }\n P0 ;\n NOP ;\nexists (x=1", "is not closed"),
        ("AArch64 t\n{ }\n P0 ;\n NOP ;\nexists x=1 x=2", "behind the"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(text: str, said: str) -> None:
    with pytest.raises(TextError, match=said) as error:
        parse(text)
    assert re.fullmatch(r"test:\d+:\d+: .+", str(error.value))


# Random tests


WORDS = ("ISB", "DSB ISH", "DSB LD", "DMB ST", "DC CVAU,X1", "IC IVAU,X1", "STR W0,[X1]", "LDR W2,[X3]", "B over", "BLR X1",
         "NOP", "X31", "0:X0=NOP;", "P1:site", "exists", "forall", "(", ")", "/\\", "~", "=", ":", ";", "|", "{", "}",
         "MOV W9,#x", "(*", "*)")  # fmt: skip


def mutated(number: int) -> str:
    """A test with a few changed words."""
    source = random.Random(f"ifetch {number}")
    text = random_test(number)
    for _ in range(source.randint(1, 4)):
        places = [(found.start(), found.end()) for found in re.finditer(r"[\w:]+|[^\w\s]|\n", text)] or [(0, 0)]
        start, end = source.choice(places)
        text = text[:start] + source.choice((*WORDS, "", text[slice(*source.choice(places))])) + text[end:]
    return text


def check_mutated(count: int) -> None:
    read = 0
    for number in range(count):
        try:
            test = parse(mutated(number))
        except TextError as error:
            assert "\n" not in str(error)
            continue
        read += 1
        format_result(test, explore(test, 2_000))
    assert read > count / 10


def test_changed_tests_are_executed_or_refused() -> None:
    check_mutated(FEW)


@pytest.mark.long("20,000 files")
def test_many_changed_tests_are_executed_or_refused() -> None:
    check_mutated(MANY)


def random_test(number: int) -> str:
    """A writer with some of the sequence, and a reader with some of it, and a flag, another site or nothing between them."""
    source = random.Random(f"fetch {number}")

    def some(words: tuple[str, ...], share: float) -> list[str]:
        return [word for word in words if source.random() < share]

    flush = (FLUSH[0], source.choice(("DSB ISH", "DMB ISH")), *FLUSH[2:])
    writer = ["STR W0,[X1]", *some(flush, 0.75), *some(("ISB",), 0.3)]
    reader: list[str] = []
    kind = source.choice(("flag", "site", "none"))
    if kind != "none":
        writer += some((source.choice(("DMB ISH", "DSB ISH", "DMB ST")),), 0.8)
    if kind == "flag":
        writer += SEND
        reader += ["LDR W2,[X3]", *source.choice((["CBNZ W2,next", "next:"], ["DSB ISH"], ["DMB ISH"], []))]
    elif kind == "site":
        writer.append("STR W0,[X4]")
        reader += ["other: B past", "MOV W8,#1", "past:"]
    reader += [*some((*FLUSH,), 0.35), *some(("ISB",), 0.7), *SITE]
    condition = {"flag": "1:X2=1 /\\ 1:X9=0", "site": "1:X8=1 /\\ 1:X9=0", "none": "1:X9=0"}[kind]
    if source.random() < 0.3:
        reader += [*some(("ISB",), 0.5), "LDR W7,[X5]"]
        writer = ["MOV W6,#1", "STR W6,[X5]", source.choice(("DMB ISH", "DMB ST", "DSB ISH")), *writer]
        condition = source.choice((condition, "1:X9=1 /\\ 1:X7=0"))
    text = of_columns(writer, reader, condition=condition, name=f"random-{number}")
    return text.replace("{ ", "{ 0:X4=P1:other; ") if kind == "site" else text


def observed_by_herd7(path: Path) -> str:
    """Always, Sometimes or Never; "" if herd7 does not say."""
    assert HERD7
    library = os.environ.get("HERD7_LIBRARY")
    command = [HERD7, *(("-set-libdir", library) if library else ()), "-variant", "ifetch", str(path)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    except subprocess.TimeoutExpired:
        return ""
    found = re.search(r"^Observation \S+ (\w+)", said, re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.skipif(not HERD7, reason="needs herd7")
@pytest.mark.long("herd7 takes a while, and is seldom there")
def test_herd7_says_the_same_of_random_tests(tmp_path: Path) -> None:
    decided = 0
    for number in range(200):
        text = random_test(number)
        (tmp_path / "random.litmus").write_text(text)
        found = explore(parse(text))
        if found.why:
            continue
        assert observed_by_herd7(tmp_path / "random.litmus") == found.observation, text
        decided += 1
    assert decided > 60


@pytest.mark.skipif(not (HERD7 and PUBLISHED), reason="needs herd7 and its tests")
@pytest.mark.long("herd7 takes a while, and is seldom there")
def test_herd7_says_the_same_of_its_published_tests() -> None:
    decided: dict[str, int] = {}
    for path in sorted(Path(PUBLISHED or "").rglob("*.litmus")):
        try:
            test = parse(path.read_text())
        except TextError:
            continue  # faults, among others
        if "DIC1" in path.name or "IDC1" in path.name:
            continue
        found, said = explore(test), observed_by_herd7(path)
        if said and not found.why:
            assert found.observation == said, path.name
            decided[said] = decided.get(said, 0) + 1
    assert decided.get("Never", 0) > 30 and decided.get("Sometimes", 0) > 30, decided
