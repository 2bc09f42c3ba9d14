# SPDX-License-Identifier: GPL-2.0-only
"""Numbers, CPU sets and words in the syntax of tracefs."""

from __future__ import annotations

import errno
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_c, parse_decimal
from emu.ftrace.tracefs.cpumask import format_cpumask, parse_cpumask
from emu.ftrace.tracefs.filter_file import WordParser

# Texts that are numbers, or nearly.
nearly = st.text("0123456789abfxX+- \n_٣", max_size=8)


@given(nearly, st.integers(0, 1 << 64))
@example("+0\n", 0)
@example("18446744073709551615", (1 << 64) - 1)
def test_decimal_numbers(text: str, maximum: int) -> None:
    found = re.fullmatch("[+]?([0-9]+)\n?", text)
    try:
        value = parse_decimal(text, maximum)
    except TraceError as error:
        assert error.errno == (errno.ERANGE if found else errno.EINVAL)
        assert not found or int(found[1]) > maximum
    else:
        assert found
        assert value == int(found[1]) <= maximum


@given(nearly, st.integers(0, 1 << 32))
def test_numbers_in_cs_notation(text: str, maximum: int) -> None:
    expected = None
    if re.fullmatch("[+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", text):
        digits = text.removeprefix("+")
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        expected = int(digits, base)
    assert parse_c(text, maximum) == (expected if expected is None or expected <= maximum else None)


@given(st.integers(1, 130).flatmap(lambda cpus: st.tuples(st.just(cpus), st.frozensets(st.integers(0, cpus - 1)))))
def test_a_set_of_cpus_is_read_as_it_is_written(case: tuple[int, frozenset[int]]) -> None:
    cpus, mask = case
    text = format_cpumask(mask, cpus)
    assert parse_cpumask(text + "\n", cpus) == mask
    groups = text.split(",")
    assert [len(group) for group in groups[1:]] == [8] * (len(groups) - 1)
    assert len("".join(groups)) == (cpus + 3) // 4
    assert int("".join(groups), 16) == sum(1 << cpu for cpu in mask)


@pytest.mark.parametrize(
    ("text", "cpus", "result"),
    [
        ("3", 2, {0, 1}), ("", 2, set()), ("\n", 2, set()), ("00000003", 2, {0, 1}), ("0,3\nrubbish", 2, {0, 1}),
        ("1,00000000", 33, {32}), (" 1 0 ", 33, {32}), ("1,", 2, {0}), ("4", 2, errno.EOVERFLOW),
        ("000000003", 2, errno.EOVERFLOW), ("1,00000000", 32, errno.EOVERFLOW), ("x", 2, errno.EINVAL),
        ("-1", 2, errno.EINVAL), ("0x1", 2, errno.EINVAL),
    ],
)  # fmt: skip
def test_sets_of_cpus_as_people_write_them(text: str, cpus: int, result: set[int] | int) -> None:
    if isinstance(result, int):
        with pytest.raises(TraceError) as error:
            parse_cpumask(text, cpus)
        assert error.value.errno == result
    else:
        assert parse_cpumask(text, cpus) == result


@given(st.lists(st.text("ab*! \t\n\0", max_size=6)))
def test_words_are_the_same_however_writes_cut_them(pieces: list[str]) -> None:
    parser = WordParser()
    words = [word for piece in pieces for word in parser.split(piece.encode())] + parser.finish()
    assert words == re.findall(r"[^\s\0]+", "".join(pieces))


def test_a_word_has_an_end() -> None:
    parser = WordParser()
    assert parser.split(b"x" * 1024 + b" ") == ["x" * 1024]
    parser.split(b"x" * 1000)
    with pytest.raises(TraceError) as error:
        parser.split(b"x" * 25)
    assert error.value.errno == errno.EINVAL
