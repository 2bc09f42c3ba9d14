# SPDX-License-Identifier: GPL-2.0-only
"""Filters of functions by name: the words of set_ftrace_filter and similar files, and the sites that they select.

A word of a filter is one of:

    vfs_read        this function                   *_read          names with this ending
    vfs_*           names with this beginning       *sched*         names that contain this
    vfs_r?a[c-e]*   any glob: ? is one character, [a-z] one of these, [!a-z] one of the others; a backslash quotes
    100             line 100 of available_filter_functions
    !vfs_*          removes these again

Where commands are accepted, `func:mod:name` selects functions of modules: `name` is also a pattern, and `!name` means all
functions outside those modules. An empty `name` means all modules, an empty `func` all their functions.
"""

from __future__ import annotations

import enum
import errno
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError, did_you_mean, enumeration
from emu.ftrace.numbers import parse_c
from emu.ftrace.trigger.commands import FUNCTION_COMMANDS
from emu.kernel.module_files import ModuleFiles

__all__ = ["FunctionFilter", "Functions", "MatchKind", "ModuleFilters", "Pattern", "SiteMask"]

SiteMask = NDArray[np.bool_]  # one bool for each site, in the order of available_filter_functions

_COMMANDS = ("mod", *FUNCTION_COMMANDS)


class MatchKind(enum.Enum):
    """How a pattern's text is compared. All kinds but the last two are plain string comparisons."""

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
    text: str  # without the stars that `kind` implies
    negated: bool = False

    @classmethod
    def parse(cls, word: str) -> Pattern:
        """Parses a word. Every word is a pattern, even if it selects nothing."""
        negated = word.startswith("!")
        word = word[negated:]
        if re.match("[0-9]", word):
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
        """The mask of the names that the pattern selects. `negated` is ignored here."""
        mask = np.zeros(len(names), dtype=np.bool_)
        if self.kind is MatchKind.INDEX:
            if number := parse_c(self.text, len(names)):
                mask[number - 1] = True
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


# One item of a glob. A class may begin with "]"; an unclosed "[" is literal.
_GLOB_ITEM = re.compile(
    r"(?P<stars>\*+)|(?P<any>\?)|\[(?P<not>!?+)(?P<members>\][^\]]*|[^\]]+)\]|\\(?P<quoted>.)|(?P<plain>.)", re.DOTALL
)
_CLASS_ITEM = re.compile(r"(?P<low>.)-(?P<high>.)|(?P<one>.)", re.DOTALL)


def _glob_expression(glob: str) -> str:
    """A regular expression equivalent to a glob.

    The text between two stars matches at its first occurrence, without backtracking: a later occurrence would leave less
    text for the rest of the glob. So no glob takes more than quadratic time.
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
    """The expression for `[members]` of a glob, in which a backwards range is empty."""
    accepted = []
    for item in _CLASS_ITEM.finditer(members):
        low, high = (item["one"],) * 2 if item["one"] else (item["low"], item["high"])
        if low <= high:
            accepted.append(f"{re.escape(low)}-{re.escape(high)}")
    if not accepted:
        return "." if inverted else "(?!)"
    return f"[{'^' * inverted}{''.join(accepted)}]"


class Functions:
    """The functions that can be traced at one moment, in the order of available_filter_functions. Immutable.

    Args:
        names: the functions' names, which may repeat.
        modules: the module of each function, "" for the kernel. Default: all belong to the kernel.
        numbers: the number of each function, ascending. A number is never reused for another function.
        loaded: names of the modules that are loaded.
        module_files: the modules that could be loaded, for error messages.
    """

    def __init__(
        self,
        names: Sequence[str],
        modules: Sequence[str] | None = None,
        numbers: NDArray[np.int64] | None = None,
        loaded: Iterable[str] = (),
        module_files: ModuleFiles | None = None,
    ) -> None:
        self.names = names
        self.modules = [""] * len(names) if modules is None else modules
        self.numbers = np.arange(len(names)) if numbers is None else numbers
        self.loaded = frozenset(loaded)
        self._module_files = module_files or ModuleFiles()

    def __len__(self) -> int:
        return len(self.names)

    def label(self, index: int) -> str:
        """`vfs_read`, or `beat [sample]` for a module's function."""
        module = self.modules[index]
        return f"{self.names[index]} [{module}]" if module else self.names[index]

    def labels(self) -> list[str]:
        return [self.label(index) for index in range(len(self))]

    def of_modules(self, pattern: str) -> SiteMask:
        """The functions selected by the last part of `func:mod:pattern`."""
        is_module = np.array([bool(module) for module in self.modules], dtype=np.bool_)
        wanted = Pattern.parse(pattern)
        if not wanted.text and wanted.kind is MatchKind.FULL:
            return ~is_module if wanted.negated else is_module
        matching = Pattern(wanted.kind, wanted.text).select(self.modules) & is_module
        return ~matching if wanted.negated else matching

    def unmatched(self, word: str, *, waits: bool) -> TraceError:
        """The error for a word that matches no function. `waits`: `word:mod:name` is also accepted there."""
        return TraceError(
            errno.EINVAL, f"no traceable function matches '{word}'", hint=lambda: self.suggestion(word, waits=waits)
        )

    def suggestion(self, word: str, *, waits: bool) -> str:
        """The end of the error's sentence: modules to load, or functions with similar names."""
        pattern = Pattern.parse(word)
        loadable = {module: names for module, names in self._module_files.functions.items() if module not in self.loaded}
        found = {module: int(pattern.select(names).sum()) for module, names in loadable.items()}
        modules = [module for module, count in found.items() if count]
        if not modules or pattern.negated or pattern.kind is MatchKind.INDEX:
            return did_you_mean(pattern.text, [*self.names, *itertools.chain(*loadable.values())])
        count, one, module = sum(found.values()), len(modules) == 1, modules[0]
        return (
            f"; module{'s' * (not one)} {enumeration(modules, 'and')}, which {'is' if one else 'are'} not loaded, "
            f"{'has' if one else 'have'} {'it' if count == 1 else f'{count} of them'}: "
        ) + (f"'{word}:mod:{module}' waits for {module}" if waits else f"this cannot wait, so run 'modprobe {module}' first")


class ModuleFilters:
    """Words `func:mod:name` for modules that are not loaded yet. Each takes effect once, when its module is loaded.

    Until then set_ftrace_filter is not empty: if it has only such words, no function is traced.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def clear(self) -> None:
        self._waiting.clear()

    def add(self, function: str, module: str, functions: Functions) -> None:
        """Keeps a word for a module that is not loaded. `!func` removes the word, `!*` removes all words about the module.

        Raises:
            TraceError: EINVAL if the module is loaded, or there is no word to remove.
        """
        if function.startswith("!"):
            kept = [
                (func, name) for func, name in self._waiting if name != module or function[1:] not in ("*", func)
            ]
            if len(kept) == len(self._waiting):
                raise TraceError(errno.EINVAL, f"no filter '{function[1:]}' waits for module '{module}'")
            self._waiting = kept
        elif module in functions.loaded:
            names = [name for name, owner in zip(functions.names, functions.modules, strict=True) if owner == module]
            why = f"no traceable function of module '{module}' matches '{function}'"
            raise TraceError(errno.EINVAL, why, (Pattern.parse(function).text, names))
        else:
            self._waiting.append((function, module))

    def take(self, module: str) -> list[str]:
        """Removes and returns the words about a module, which has just been loaded."""
        words = [f"{func}:mod:{name}" for func, name in self._waiting if name == module]
        self._waiting = [(func, name) for func, name in self._waiting if name != module]
        return words

    def lines(self) -> list[str]:
        return [f"{func}:mod:{name}" for func, name in self._waiting]


class FunctionFilter:
    """A set of functions, made from words. Immutable. The empty set means that there is no filter.

    A function that no longer exists stays in the set. If all selected functions go with their module, the filter selects no
    function, rather than all (Linux: struct ftrace_hash keeps the entries; clear_mod_from_hash() sets their addresses to 0).

    Args:
        functions: the existing functions.
        mask: the selected functions; default: none.
        lost: whether a function was selected that no longer exists.

    >>> names = ["vfs_open", "vfs_read", "vfs_write"]
    >>> FunctionFilter(names).edited(["vfs_*", "!*_open"]).selected_names()
    ['vfs_read', 'vfs_write']
    """

    def __init__(
        self, functions: Functions | Sequence[str], mask: SiteMask | None = None, lost: bool = False
    ) -> None:
        self.functions = functions if isinstance(functions, Functions) else Functions(functions)
        self.mask: SiteMask = np.zeros(len(self.functions), dtype=np.bool_) if mask is None else mask
        self.mask.flags.writeable = False
        self.lost = lost

    def __bool__(self) -> bool:
        """Whether there is a filter."""
        return self.lost or bool(self.mask.any())

    def is_like(self, other: FunctionFilter) -> bool:
        """Whether another filter of the same functions selects the same ones."""
        return self.lost == other.lost and np.array_equal(self.mask, other.mask)

    def cleared(self) -> FunctionFilter:
        return FunctionFilter(self.functions)

    def on(self, functions: Functions) -> FunctionFilter:
        """The same selection among `functions`, the functions that exist now."""
        if functions is self.functions:
            return self
        lost = self.mask & ~np.isin(self.functions.numbers, functions.numbers)
        mask = np.isin(functions.numbers, self.functions.numbers[self.mask])
        return FunctionFilter(functions, mask, self.lost or bool(lost.any()))

    def edited(self, words: Iterable[str], waiting: ModuleFilters | None = None) -> FunctionFilter:
        """This filter with every word applied, in order.

        Args:
            words: see the top of this module.
            waiting: keeps words about modules that are not loaded. None: only names are accepted, no commands.

        Raises:
            TraceError: EINVAL if a word names no function and is no command.
        """
        mask = self.mask.copy()
        for word in words:
            if waiting is not None and ":" in word:
                mask = self._commanded(mask, word, waiting)
                continue
            pattern = Pattern.parse(word)
            chosen = pattern.select(self.functions.names)
            if not chosen.any():
                raise self.functions.unmatched(word, waits=waiting is not None)
            mask = _applied(mask, word, chosen)
        return FunctionFilter(self.functions, mask, self.lost)

    def with_words(self, words: Iterable[str]) -> FunctionFilter:
        """The filter with words that have waited for their module. Words that match no function are dropped."""
        selected = self
        for word in words:
            with suppress(TraceError):
                selected = selected.edited([word], ModuleFilters())
        return selected

    def _commanded(self, mask: SiteMask, word: str, waiting: ModuleFilters) -> SiteMask:
        function, command, *rest = word.split(":", 2)
        if command in FUNCTION_COMMANDS:
            raise TraceError(errno.EINVAL, f"only set_ftrace_filter takes the command '{command}'")
        if command != "mod":
            known = " ".join(_COMMANDS)
            raise TraceError(errno.EINVAL, f"there is no filter command '{command}' (there are: {known})", (command, _COMMANDS))
        name = function.removeprefix("!")
        pattern = Pattern.parse(name)
        chosen = pattern.select(self.functions.names) if name else np.ones(len(self.functions), dtype=np.bool_)
        if rest and pattern.kind is not MatchKind.INDEX:
            chosen = chosen & self.functions.of_modules(rest[0])
        if chosen.any():
            return _applied(mask, function, chosen)
        waiting.add(function, rest[0] if rest else "", self.functions)
        return mask

    def selected_names(self) -> list[str]:
        return [self.functions.label(index) for index in np.flatnonzero(self.mask).tolist()]


def _applied(mask: SiteMask, word: str, chosen: SiteMask) -> SiteMask:
    return mask & ~chosen if word.startswith("!") else mask | chosen
