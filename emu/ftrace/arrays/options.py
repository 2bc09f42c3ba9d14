# SPDX-License-Identifier: GPL-2.0-only
"""Trace options: the switches of trace_options and options/, with their initial values."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from emu.ftrace.errors import TraceError

__all__ = ["CORE_OPTIONS", "Option", "Options", "parse_option"]


@dataclass(frozen=True)
class Option:
    """A switch and its initial value."""

    name: str
    default: bool
    top_only: bool = False  # instances list it, but have no file for it
    of_values: bool = False  # of what calls are given and return: only where entries can have that (TraceGlobals.prototypes)


# In trace_options' order.
CORE_OPTIONS = (
    Option("print-parent", True),
    Option("sym-offset", False),
    Option("sym-addr", False),
    Option("verbose", False),
    Option("raw", False),
    Option("hex", False),
    Option("bin", False),
    Option("block", False),
    Option("trace_printk", True, top_only=True),
    Option("annotate", True),
    Option("userstacktrace", False),
    Option("sym-userobj", False),
    Option("printk-msg-only", False, top_only=True),
    Option("context-info", True),
    Option("latency-format", False),
    Option("record-cmd", True, top_only=True),
    Option("record-tgid", False),
    Option("overwrite", True),
    Option("disable_on_free", False),
    Option("irq-info", True),
    Option("markers", True),
    Option("event-fork", False),
    Option("pause-on-trace", False),
    Option("hash-ptr", True),
    Option("function-trace", True),
    Option("function-fork", False),
    Option("display-graph", False),
    Option("stacktrace", False),
    Option("branch", False, top_only=True),
)


def parse_option(text: str) -> tuple[str, bool]:
    """Parses `name` or `noname`, as written to trace_options: the option's name and its new value.

    >>> parse_option("nosleep-time\\n")
    ('sleep-time', False)
    """
    name = text.strip()
    return (name[2:], False) if name.startswith("no") else (name, True)


class Options(Mapping[str, bool]):
    """The state of every option of one trace instance; reads like a dict."""

    def __init__(self, options: Iterable[Option]) -> None:
        self._states = {option.name: option.default for option in options}

    def __getitem__(self, name: str) -> bool:
        return self._states[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)

    def check(self, name: str) -> None:
        """Raises TraceError, EINVAL, when there is no such option."""
        if name not in self._states:
            raise TraceError(errno.EINVAL, f"there is no option '{name}'", (name, self._states))

    def set(self, name: str, on: bool) -> None:
        """Raises TraceError, EINVAL, when there is no such option."""
        self.check(name)
        self._states[name] = on

    def lines(self, names: Iterable[str]) -> list[str]:
        """The lines of trace_options: each name, preceded by `no` if the option is off."""
        return [name if self._states[name] else f"no{name}" for name in names]
