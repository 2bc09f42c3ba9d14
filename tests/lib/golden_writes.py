# SPDX-License-Identifier: GPL-2.0-only
"""The results of writes to the tracefs files of Linux 6.1."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.lib.golden import read_golden

__all__ = ["GoldenWrite", "golden_writes"]



class GoldenWrite(NamedTuple):
    """`echo VALUE > FILE`"""

    path: str
    value: str
    code: int  # the errno of the write; 0: success
    shown: list[str]  # the first lines of the file afterwards, if it was read


def golden_writes() -> Iterator[GoldenWrite]:
    """The writes that were tried on Linux 6.1, in order: accepted writes stay in effect for the following ones."""
    text = read_golden("error-writes.txt")
    written, result = r"^# echo '(.*)' > (\S+)\n(?:sh.*\n)+", r"write\(1, .*\) += (?:\d+|-1 (\w+)) ?.*\n"
    for value, path, name, shown in re.findall(written + result + r"((?:    now: .*\n)*)", text, re.MULTILINE):
        yield GoldenWrite(path, value, getattr(errno, name) if name else 0, re.findall("now: (.*)", shown))
