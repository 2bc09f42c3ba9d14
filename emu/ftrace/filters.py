# SPDX-License-Identifier: GPL-2.0-only
"""Filters of functions by name: what set_ftrace_filter and its siblings accept, and the sites it selects.

A word of a filter is one of

    vfs_read        this function                   *_read          names that end so
    vfs_*           names that begin so             *sched*         names that hold this
    vfs_r?a[c-e]*   any glob: ? one character, [a-z] one of these, [!a-z] one of the others, backslash quotes
    100             the hundredth line of available_filter_functions
    !vfs_*          takes these out again
"""

from __future__ import annotations

import enum
import errno
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError

__all__ = ["FunctionFilter", "MatchKind", "Pattern", "SiteMask"]

SiteMask = NDArray[np.bool_]  # one bool for each site, in address order


class MatchKind(enum.Enum):
    """How a pattern's text is compared; all but the last two cost no more than a comparison of strings."""

    FULL = enum.auto()
    FRONT = enum.auto()
    MIDDLE = enum.auto()
    END = enum.auto()
    GLOB = enum.auto()
    INDEX = enum.auto()


@dataclass(frozen=True)
class Pattern:
    """One word of a filter."""

    kind: MatchKind
    text: str  # without the stars that `kind` stands for
    negated: bool = False

    @classmethod
    def parse(cls, word: str) -> Pattern:
        """Any word is a pattern; whether it selects something is another question."""
        negated = word.startswith("!")
        word = word[negated:]
        if word[:1].isdigit():
            return cls(MatchKind.INDEX, word, negated)
        opened, closed = word.startswith("*"), len(word) > 1 and word.endswith("*")
        inner = word[opened : len(word) - closed]
        if re.search(r"[*?\[\\]", inner):
            return cls(MatchKind.GLOB, word, negated)
        kinds = {
            (False, False): MatchKind.FULL,
            (False, True): MatchKind.FRONT,
            (True, True): MatchKind.MIDDLE,
            (True, False): MatchKind.END,
        }
        return cls(kinds[opened, closed], inner, negated)

    def select(self, names: Sequence[str]) -> SiteMask:
        """The sites, of those with these names, that the pattern names; `negated` is the caller's business."""
        mask = np.zeros(len(names), dtype=np.bool_)
        if self.kind is MatchKind.INDEX:
            if self.text.isdecimal() and 1 <= int(self.text) <= len(names):
                mask[int(self.text) - 1] = True
            return mask
        test = self._test()
        mask[:] = [test(name) for name in names]
        return mask

    def _test(self) -> Callable[[str], bool]:
        text = self.text
        match self.kind:
            case MatchKind.FULL:
                return lambda name: name == text
            case MatchKind.FRONT:
                return lambda name: name.startswith(text)
            case MatchKind.MIDDLE:
                return lambda name: text in name
            case MatchKind.END:
                return lambda name: name.endswith(text)
        expression = re.compile(_glob_expression(text), re.DOTALL)
        return lambda name: expression.fullmatch(name) is not None


# One item of a glob. A class may hold "]" first; a "[" that is never closed stands for itself.
_GLOB_ITEM = re.compile(
    r"(?P<stars>\*+)|(?P<any>\?)|\[(?P<not>!?+)(?P<members>\][^\]]*|[^\]]+)\]|\\(?P<quoted>.)|(?P<plain>.)", re.DOTALL
)
_CLASS_ITEM = re.compile(r"(?P<low>.)-(?P<high>.)|(?P<one>.)", re.DOTALL)


def _glob_expression(glob: str) -> str:
    """The regular expression that accepts what a glob does.

    What stands between two stars is looked for once, at the first place where it fits: what follows can always begin
    later, so a first fit is as good as any, and no glob takes more than quadratic time.
    """
    pieces: list[list[str]] = [[]]
    for item in _GLOB_ITEM.finditer(glob):
        if item["stars"]:
            pieces.append([])
        elif item["any"]:
            pieces[-1].append(".")
        elif item["members"] is not None:
            pieces[-1].append(_class_expression(item["members"], inverted=bool(item["not"])))
        else:
            pieces[-1].append(re.escape(item["quoted"] or item["plain"]))
    first, *others = ("".join(piece) for piece in pieces)
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>.*?{piece})" for piece in middle) + ".*" + last


def _class_expression(members: str, inverted: bool) -> str:
    """`[members]` of a glob, in which a range that runs backwards is empty."""
    accepted = []
    for item in _CLASS_ITEM.finditer(members):
        low, high = (item["one"],) * 2 if item["one"] else (item["low"], item["high"])
        if low <= high:
            accepted.append(f"{re.escape(low)}-{re.escape(high)}")
    if not accepted:
        return "." if inverted else "(?!)"
    return f"[{'^' * inverted}{''.join(accepted)}]"


class FunctionFilter:
    """A set of sites, made from words; immutable. The empty set is a filter that is not there.

    >>> names = ["vfs_open", "vfs_read", "vfs_write"]
    >>> FunctionFilter(names).edited(["vfs_*", "!*_open"]).selected_names()
    ['vfs_read', 'vfs_write']
    """

    def __init__(self, names: Sequence[str], mask: SiteMask | None = None) -> None:
        self._names = names
        self.mask: SiteMask = np.zeros(len(names), dtype=np.bool_) if mask is None else mask
        self.mask.flags.writeable = False

    def __bool__(self) -> bool:
        return bool(self.mask.any())

    def cleared(self) -> FunctionFilter:
        return FunctionFilter(self._names)

    def edited(self, words: Iterable[str]) -> FunctionFilter:
        """This filter with every word applied, in order.

        Raises:
            TraceError: EINVAL, when a word names no function.
        """
        mask = self.mask.copy()
        for word in words:
            pattern = Pattern.parse(word)
            chosen = pattern.select(self._names)
            if not chosen.any():
                raise TraceError(errno.EINVAL, f"no traceable function matches '{word}'")
            mask = mask & ~chosen if pattern.negated else mask | chosen
        return FunctionFilter(self._names, mask)

    def selected_names(self) -> list[str]:
        return [self._names[index] for index in np.flatnonzero(self.mask).tolist()]
