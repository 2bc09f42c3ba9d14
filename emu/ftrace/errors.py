# SPDX-License-Identifier: GPL-2.0-only
"""The error of every tracing operation: an errno, as the guest gets it, and a sentence for the user."""

from __future__ import annotations

import errno
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from emu.kernel.files.node import LoggedError

__all__ = ["ErrorReport", "NotProvided", "TraceError", "did_you_mean", "enumeration"]

_CLOSE = 0.7  # of difflib's ratio; equal texts have 1.0
_NEARLY_AS_CLOSE = 0.05
_MOST_NAMES = 3
_SYSTEM_CALL = re.compile(r"^(?:__(?:x64|ia32|sparc64|do|se)_)?sys_")
_CLONE = re.compile(r"(?:\.(?:isra|constprop|part)\.\d+)+$")  # the suffixes of gcc's clones of a function


@dataclass(frozen=True)
class ErrorReport:
    """What error_log says about a refused command."""

    place: str  # what refused it: `event filter parse error`, `hist:sched:sched_switch`
    text: str
    command: str
    position: int  # of the caret: 0 is below the command's first character
    before: ErrorReport | None = None  # the report that comes before this one


class TraceError(OSError):
    """A tracing operation failed and changed nothing.

    Args:
        code: the errno.
        why: what is wrong, in a sentence without a full stop.
        misspelt: a name that does not exist, and the names that do. The sentence then ends with a suggestion.
        hint: makes another end of the sentence, which begins with "; ", or "".
        logged: the report for the error_log of the array whose file was written.

    >>> TraceError(errno.EINVAL, "no tracer is called 'bogus'").errno == errno.EINVAL
    True
    >>> TraceError(errno.EINVAL, "no tracer is called 'funtion'", ("funtion", ["nop", "function"])).why
    "no tracer is called 'funtion'; did you mean function?"
    """

    def __init__(
        self,
        code: int,
        why: str = "",
        misspelt: tuple[str, Iterable[str]] | None = None,
        hint: Callable[[], str] | None = None,
        logged: ErrorReport | None = None,
    ) -> None:
        super().__init__(code, os.strerror(code))
        self.code = code
        self.path: str | None = None  # the tracefs file, if it was opened by path
        self.logged = logged
        self._why = why
        self._hint = (lambda: did_you_mean(*misspelt)) if misspelt is not None else hint

    @property
    def why(self) -> str:
        """What is wrong; "" if the errno says everything."""
        return self._why + self.suggestion

    @property
    def suggestion(self) -> str:
        """The end of `why` with a suggestion, or "". Names are compared only when this is read: a guest never reads it."""
        return "" if self._hint is None else self._hint()

    def __str__(self) -> str:
        name = errno.errorcode.get(self.code, str(self.code))
        text = f"{self.why or self.strerror} ({name})"
        return f"{self.path}: {text}" if self.path else text


class NotProvided(TraceError, LoggedError):
    """The requested thing is in Linux 6.1 but not in this machine.

    Args:
        code: the errno.
        where: the file of tracefs.
        what: the thing's name in a sentence.
    """

    def __init__(self, code: int, where: str, what: str) -> None:
        super().__init__(code, f"Linux 6.1 has {what}, this machine does not")
        self.log = f"tracefs: {where}: {self.why}"


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """The end of an error's sentence, with the names closest to a word; "" if none is close.

    Case is ignored, as are the prefixes of system calls and the suffixes of functions that gcc has cloned.

    >>> did_you_mean("vfs_raed", ["vfs_open", "vfs_read", "vfs_write"]), did_you_mean("tcp_sendmsg", ["vfs_read"])
    ('; did you mean vfs_read?', '')
    >>> did_you_mean("__x64_sys_Open", ["vfs_open", "sys_open"])
    '; did you mean sys_open?'
    >>> did_you_mean("dup_utask", ["dup_utask.isra.0", "put_utask"])
    '; did you mean dup_utask.isra.0?'
    """
    import difflib  # 5 ms, with all its imports

    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        spelt[_key(name)].append(name)
    matcher = difflib.SequenceMatcher(b=_key(word))
    close: list[tuple[float, str]] = []
    for key in difflib.get_close_matches(_key(word), spelt, _MOST_NAMES, _CLOSE):
        matcher.set_seq1(key)
        close += [(matcher.ratio(), name) for name in spelt[key] if name != word]
    nearest = [name for ratio, name in close if ratio >= close[0][0] - _NEARLY_AS_CLOSE][:_MOST_NAMES]
    return f"; did you mean {enumeration(nearest, 'or')}?" if nearest else ""


def enumeration(words: Sequence[str], conjunction: str) -> str:
    """At least one word, as a list in a sentence with "and" or "or": `a`, `a or b`, `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)}{f' {conjunction} ' * bool(others)}{last}"


def _key(name: str) -> str:
    return _SYSTEM_CALL.sub("", _CLONE.sub("", name).lower().replace("-", "_"))
