# SPDX-License-Identifier: GPL-2.0-only
"""trace.dat files with wrong texts: formats, headers, symbols, names of tasks, options. Every command that reads a file
gets each of them.

The data around the texts is intact: tests/fuzz/trace_dat.py damages that. A command reads such a file, or reports in one line
what is wrong with it, with status 2.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import struct
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from emu.cli.main import main
from emu.trace.convert import FORMATS
from emu.trace.dat.options import OptionNumber
from tests.fuzz import Outcome
from tests.fuzz.trace_dat import ENOUGH, sample_parts
from tests.lib.trace_dat import Dat, Pages, header_page, linux_formats

__all__ = ["run"]

_FILE, _OUT = "FILE", "OUT"  # placeholders of paths
_COMMANDS: Sequence[Sequence[str]] = (
    ("report", _FILE),
    ("report", "-R", "-t", _FILE),
    ("report", "--format", "trace", _FILE),
    ("report", "--salvage", _FILE),
    ("report", "--salvage", "--format", "trace", _FILE),
    ("report", "-e", "sched*", "--cpu", "0", "-P", "5", "--from", "0.000001", _FILE),
    ("grep", "-c", "fn_1", _FILE),
    ("top", "--by", "process", "--by", "cpu", "--json", _FILE),
    ("top", "--sort", "total", _FILE),
    ("top", "--net", _FILE),
    ("tree", "--json", _FILE),
    ("tree", "-g", "fn_1", _FILE),
    ("diff", "--by", "function", _FILE, _FILE),
    ("reproduce", _FILE),
    ("convert", "--table", "calls", "--to", "csv", _FILE),
    ("convert", "--table", "sched_switch", "--to", "csv", _FILE),
    ("convert", "--table", "funcgraph_exit", "-o", f"{_OUT}.parquet", _FILE),
    ("convert", "--by", "cpu", "--to", "folded", _FILE),
    *(("convert", "-o", f"{_OUT}.{name}", _FILE) for name in FORMATS),
)
_TEXTS = ["kallsyms", "printk", "cmdlines", "header_page", "header_event", "clock", "options"]
_NUMBERS = ("0", "1", "-1", "3", "7", "8", "255", "4096", "65535", "999999", "99999999999999999999", "0x10")
_TYPES = (
    "char", "char *", "const char *", "char[]", "__data_loc char[]", "__rel_loc char[]", "__data_loc u64[]", "int", "long",
    "unsigned long", "bool", "u8", "u64[4]", "struct foo", "unsigned int *", "void", "",
)  # fmt: skip
_ARRAYS = ("[]", "[0]", "[3]", "[x]", "")
_PIECES = (
    "REC->", "REC->nothing", "__get_str(name)", "__get_dynamic_array(name)", "__print_symbolic(REC->pid, { 1, \"a\" })",
    "__print_flags(REC->pid, \"|\", { 1, \"a\" })", "__print_array(__get_dynamic_array(name), 3, 0)", "__print_hex(REC->comm, 9)",
    "sizeof(struct page)", "(1 / 0)", "(1 << 99)", "(u64)", "(", ")", "\"", "\\", ", ", "? :", "%s", "%*.*s", "%pS", "%pI4",
    "%-999999999d", "%.999999999s", "%lc", "%n", "%5$d", "{", "}", "/* ", "'a", "\n", "\0", "\udcff", "\x7f", "é",
)  # fmt: skip
_FIELD = re.compile(r"^\tfield:(.*?)(\w+)((?:\[[^\]]*\])?);", re.MULTILINE)
_WORD = re.compile(r"\w+")


def _changed(text: str, choose: random.Random) -> str:
    """A text with one change."""
    at = choose.randrange(len(text) + 1)
    match choose.randrange(9):
        case 0:  # one byte
            return text[:at] + chr(choose.randrange(1, 127)) + text[at + 1 :]
        case 1:
            return text[:at] + choose.choice(_PIECES) + text[at:]
        case 2:
            return text[:at] + text[at + choose.randrange(1, 20) :]
        case 3:
            return _replaced(text, re.compile(r"\d+"), choose, lambda _: choose.choice(_NUMBERS))
        case 4:  # a word becomes another word of the text
            words = _WORD.findall(text) or [""]
            return _replaced(text, _WORD, choose, lambda _: choose.choice(words))
        case 5:
            lines = text.splitlines(keepends=True) or [""]
            n, kept = choose.randrange(len(lines)), choose.choice([[], [0, 0]])
            return "".join([*lines[:n], *(lines[n] for _ in kept), *lines[n + 1 :]])
        case 6:
            return _replaced(text, _FIELD, choose, lambda m: f"\tfield:{choose.choice(_TYPES)} {m[2]}{m[3]};")
        case 7:
            return _replaced(text, _FIELD, choose, lambda m: f"\tfield:{m[1]}{m[2]}{choose.choice(_ARRAYS)};")
        case _:  # within the print fmt
            head, mark, fmt = text.partition("print fmt: ")
            place = choose.randrange(len(fmt) + 1)
            return head + mark + fmt[:place] + choose.choice(_PIECES) + fmt[place + choose.choice([0, 0, 1, 5]) :]


def _replaced(text: str, what: re.Pattern[str], choose: random.Random, by: Callable[[re.Match[str]], str]) -> str:
    """Replaces one of the matches."""
    found = list(what.finditer(text))
    if not found:
        return text
    one = choose.choice(found)
    return text[: one.start()] + by(one) + text[one.end() :]


@cache
def _good(order: str, version: int) -> Dat:
    origin = {"emu": "0", "words": "no list"}  # not a command that can be executed again
    values = {"HRTIMER_MODE_ABS": 0, "sizeof(struct page)": 64, "HI_SOFTIRQ": 0}
    options = [
        (OptionNumber.CPUSTAT, b"CPU: 0\nentries: 1\n"), (OptionNumber.ORIGIN, json.dumps(origin).encode()),
        (OptionNumber.KERNEL_VALUES, json.dumps(values).encode()), (OptionNumber.SAVED_TGIDS, b"5 5\n"),
        (OptionNumber.CALL_COST, bytes([100, 0, 0, 0, 0, 0, 0, 0] * 2)),
    ]  # fmt: skip
    return replace(sample_parts(order, version, False), options=options)


def _with_events(dat: Dat, choose: random.Random) -> Dat:
    """The file with another CPU, which has recorded random bytes as events with formats of a real Linux."""
    pages, formats, when = Pages(dat.order), {name: list(texts) for name, texts in dat.formats.items()}, 1000
    for _ in range(4):
        system = choose.choice(sorted(linux_formats()))
        text = choose.choice(linux_formats()[system])
        formats.setdefault(system, [])
        if text not in formats[system]:
            formats[system].append(text)
        number = int(re.search(r"^ID: (\d+)$", text, re.MULTILINE)[1])  # type: ignore[index]  # each has one
        size = max(int(offset) + int(size) for offset, size in re.findall(r"offset:(\d+);\tsize:(\d+);", text))
        for _ in range(3):
            when += 700
            length = min(size + choose.choice([-2, 0, 24]), 2000) - 8
            data = bytes(choose.choice([0, 1, 8, choose.randrange(256)]) for _ in range(length))
            pages.add(when, struct.pack(f"{dat.order}HBBi", number, 1, 2, 5) + data)
    pages.flush()
    return replace(dat, cpus=[*dat.cpus, pages.data], formats=formats)


def _damaged(order: str, choose: random.Random) -> Dat:
    """The sample, with other events, and with a few changes of its texts."""
    dat = _with_events(_good(order, choose.choice([6, 7])), choose)
    for _ in range(choose.choice([1, 1, 1, 2, 4])):
        what = choose.choice(["formats"] * 8 + _TEXTS)
        if what == "formats":
            system = choose.choice(["ftrace", "ftrace", *dat.formats])  # systems that have events more often
            texts = list(dat.formats[system])
            n = choose.randrange(len(texts))
            texts[n] = _changed(texts[n], choose)
            dat = replace(dat, formats={**dat.formats, system: texts})
        elif what == "options":
            n = choose.randrange(len(dat.options))
            number, data = dat.options[n]
            changed = _changed(data.decode(errors="surrogateescape"), choose).encode(errors="surrogateescape")
            dat = replace(dat, options=[*dat.options[:n], (number, changed), *dat.options[n + 1 :]])
        else:
            dat = replace(dat, **{what: _changed(getattr(dat, what) or header_page(dat.long_size), choose)})
    return dat


def _said_of(words: Sequence[str]) -> tuple[int, str]:
    """Runs a command. Returns its status and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), errors="surrogateescape", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(words)
    assert isinstance(end.value.code, int)
    return end.value.code, err.buffer.getvalue().decode(errors="surrogateescape")  # type: ignore[attr-defined]  # a BytesIO


def _is_about(line: str, path: Path) -> bool:
    """Whether a line reports an error in the file, or in the command line."""
    return str(path) in line or "no event of the trace matches" in line


def _is_refused(words: Sequence[str], path: Path) -> bool:
    """Runs a command on the file. Returns whether it refuses it.

    Raises:
        Exception: one that the command should have caught; AssertionError: its output or its status is wrong.
    """
    start = time.monotonic()
    status, said = _said_of([word.replace(_FILE, str(path)).replace(_OUT, str(path)) for word in words])
    assert status in (0, 1, 2), status
    if status == 2:
        lines = said.splitlines()
        assert lines and all(_is_about(line, path) for line in lines), said
        assert len(lines) == 1 or "--salvage" in words, said
    assert (spent := time.monotonic() - start) < ENOUGH, f"took {spent:.0f} s"
    return status == 2


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Tries the files with some numbers. Those of SPARC are big-endian."""
    outcome, order = Outcome(), ">" if arch.startswith("sparc") else "<"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.dat"
        for number in numbers:
            dat = _damaged(order, random.Random(f"{seed} {number}"))
            path.write_bytes(dat.version7() if dat.instances else dat.version6())
            for words in _COMMANDS:
                try:
                    outcome.counts["refused" if _is_refused(words, path) else "shown"] += 1
                except Exception as error:  # a crash
                    tried = f"seed {seed}, number {number}, emu {' '.join(words)}"
                    outcome.findings.append(f"{tried}: {type(error).__name__}: {error}")
    return outcome
