# SPDX-License-Identifier: GPL-2.0-only
"""Filters by name: each kind of pattern, and every glob compared with two independent oracles."""

from __future__ import annotations

import errno
import fnmatch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emu.ftrace.errors import TraceError
from emu.ftrace.sites.filters import FunctionFilter, MatchKind, Pattern

NAMES = ["vfs_open", "vfs_read", "vfs_write", "ksys_read", "schedule", "read", "vfs_read"]


def selected(*words: str) -> list[str]:
    return FunctionFilter(NAMES).edited(words).selected_names()


@pytest.mark.parametrize(
    ("word", "kind", "text"),
    [
        ("vfs_read", MatchKind.FULL, "vfs_read"),
        ("vfs_*", MatchKind.FRONT, "vfs_"),
        ("*_read", MatchKind.END, "_read"),
        ("*read*", MatchKind.MIDDLE, "read"),
        ("*", MatchKind.END, ""),
        ("**", MatchKind.MIDDLE, ""),
        ("a*b", MatchKind.GLOB, "a*b"),
        ("*a*b", MatchKind.GLOB, "*a*b"),
        ("vfs_rea?", MatchKind.GLOB, "vfs_rea?"),
        ("sched_[cs]*", MatchKind.GLOB, "sched_[cs]*"),
        ("100", MatchKind.INDEX, "100"),
        ("!100", MatchKind.INDEX, "100"),
    ],
)
def test_the_kind_of_a_pattern_is_seen_in_its_stars(word: str, kind: MatchKind, text: str) -> None:
    assert Pattern.parse(word) == Pattern(kind, text, word.startswith("!"))


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["vfs_read"], ["vfs_read", "vfs_read"]),
        (["vfs_*"], ["vfs_open", "vfs_read", "vfs_write", "vfs_read"]),
        (["*_read"], ["vfs_read", "ksys_read", "vfs_read"]),
        (["*read*", "!vfs_*"], ["ksys_read", "read"]),
        (["*", "!*_*"], ["schedule", "read"]),
        (["vfs_[!r]*"], ["vfs_open", "vfs_write"]),
        (["1", "5"], ["vfs_open", "schedule"]),
        (["0x1", "05"], ["vfs_open", "schedule"]),
        (["schedule", "!schedule"], []),
        (["!schedule"], []),
    ],
)
def test_words_are_applied_in_order(words: list[str], names: list[str]) -> None:
    assert selected(*words) == names


@pytest.mark.parametrize("word", ["nosuch", "nosuch*", "!nosuch", "0", "8", "1x", "", "!", "a:bogus", "1" * 5000, "٣", "²"])
def test_a_word_that_names_nothing_is_refused(word: str) -> None:
    start = FunctionFilter(NAMES).edited(["schedule"])
    with pytest.raises(TraceError) as error:
        start.edited(["vfs_read", word])
    assert error.value.errno == errno.EINVAL
    assert start.selected_names() == ["schedule"]


def test_a_filter_cannot_be_changed_behind_its_back() -> None:
    with pytest.raises(ValueError, match="read-only"):
        FunctionFilter(NAMES).mask[0] = True


# An alphabet so small that patterns often match, with every special character of globs.
globs = st.text("ab_*?[]!-", max_size=8)
names = st.lists(st.text("ab_-!]", min_size=1, max_size=6), min_size=1, max_size=20)


@given(globs, names)
@example("[]", ["[]"])
@example("[!]", ["[!]", "a"])
@example("[b-a]", ["a", "b"])
@example("[!b-a]", ["a"])
@example("[]-a]", ["]", "_", "a"])
@example("a**b", ["ab", "aab"])
def test_globs_match_what_fnmatch_matches(glob: str, names: list[str]) -> None:
    if glob.startswith("!"):
        glob = "a" + glob
    expected = [fnmatch.fnmatchcase(name, glob) for name in names]
    assert Pattern.parse(glob).select(names).tolist() == expected


def matches(glob: str, name: str) -> bool:
    """Matches a glob without classes, by definition; backslash quotes."""
    match glob[:1]:
        case "":
            return not name
        case "*":
            return matches(glob[1:], name) or (bool(name) and matches(glob, name[1:]))
        case "?":
            return bool(name) and matches(glob[1:], name[1:])
        case "\\" if len(glob) > 1:
            return name[:1] == glob[1] and matches(glob[2:], name[1:])
    return name[:1] == glob[0] and matches(glob[1:], name[1:])


@given(st.text("ab*?\\", min_size=1, max_size=8), st.lists(st.text("ab*?\\", min_size=1, max_size=6), min_size=1))
def test_globs_match_by_definition(glob: str, names: list[str]) -> None:
    assert Pattern.parse(glob).select(names).tolist() == [matches(glob, name) for name in names]


@given(st.lists(st.sampled_from(["a*", "*b", "!a*", "!*b", "ab", "!ab", "*"])))
def test_adding_and_removing_is_set_arithmetic(words: list[str]) -> None:
    names = ["a", "b", "ab", "ba", "aab"]
    expected: set[str] = set()
    for word in words:
        chosen = {name for name in names if fnmatch.fnmatchcase(name, word.removeprefix("!"))}
        expected = expected - chosen if word.startswith("!") else expected | chosen
    result = FunctionFilter(names).edited(words)
    assert set(result.selected_names()) == expected
    assert bool(result) == bool(np.any(result.mask)) == bool(expected)
