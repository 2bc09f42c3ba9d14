# SPDX-License-Identifier: GPL-2.0-only
"""Damaged tables and journals of campaigns.

A table is refused in one line, or is the one that was written. A journal is refused in one line, or has entries that were
written: all those before the damage if that is in the last line, and all of them if there is none.
"""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from emu.campaign.journal import BadJournal, Entry, Journal
from emu.campaign.table import BadTable, read_table
from emu.campaign.unit import Unit
from emu.cli.main import main
from tests.fuzz import Outcome
from tests.lib.tables import campaign, entries

__all__ = ["damaged", "journals", "tables"]

ENOUGH = 5  # seconds for a file
_BUILD = {"emu": "0123456789abcdef", "python": "3"}
_PIECES = (b"\n", b"\r", b"\r\n", b"\0", b" ", b"}", b"PAR1", b"\xff\xff\xff\xff", b"00000000 {}\n", b"\0" * 64)
_TAIL = 300  # bytes at the end, where a table has its footer, and a journal its last lines


def damaged(data: bytes, choose: random.Random) -> bytes:
    """A file with a few changes: bits, bytes, pieces that are missing, new, doubled or moved, the end cut off."""
    found = bytearray(data)
    for _ in range(choose.choice([1, 1, 1, 2, 3, 8])):
        at = choose.choice([choose.randrange(len(found)), max(len(found) - choose.randrange(1, _TAIL), 0), len(found) - 1])
        size = choose.choice([1, 1, 2, 8, 64, 300])
        match choose.randrange(8):
            case 0:
                found[at] ^= 1 << choose.randrange(8)
            case 1:
                found[at : at + size] = choose.randbytes(size)
            case 2:
                del found[at:]
            case 3:
                del found[at : at + size]
            case 4:
                found[at:at] = choose.randbytes(size)
            case 5:
                found[at:at] = choose.choice(_PIECES)
            case 6:
                start = choose.randrange(len(found))
                found[at : at + size] = found[start : start + size]
            case 7:
                line = found.splitlines(keepends=True)
                n = choose.randrange(len(line))
                line[n : n + 1] = choose.choice([[], [line[n], line[n]], [line[n], line[choose.randrange(len(line))]]])
                found = bytearray(b"".join(line))
        if not found:
            break
    return bytes(found)


def tables(arch: str, seed: int, numbers: range) -> Outcome:
    """Reads damaged tables, and has a command read them."""
    with tempfile.TemporaryDirectory() as folder:
        good = [Path(folder) / f"good{n}" for n in range(2)]
        written = [campaign(good[0], entries(2)), campaign(good[1], entries(300, slow=2))]
        data = [(one / "table.parquet").read_bytes() for one in good]
        path = Path(folder) / "damaged.parquet"

        def tried(choose: random.Random) -> str:
            n = choose.choice([0, 0, 0, 1])
            path.write_bytes(damaged(data[n], choose))
            try:
                table = read_table(path)
            except BadTable as error:
                assert str(error) == f"{path} is no table of a campaign, or is damaged"
                status, said = _said_of(["diff", str(path), str(good[n])])
                assert (status, said) == (2, f"emu: {error}\n"), said
                return "refused"
            assert table.columns.equals(written[n].columns) and table.parameters == written[n].parameters, "another table"
            return "accepted"

        return _try("table", tried, arch, seed, numbers)


def journals(arch: str, seed: int, numbers: range) -> Outcome:
    """Opens damaged journals, and opens them again."""
    good = _journal()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"

        def tried(choose: random.Random) -> str:
            data = damaged(good, choose)
            path.write_bytes(data)
            expected = _expected(data)
            try:
                with Journal(path, _BUILD) as journal:
                    found = dict(journal.entries), dict(journal.failures), journal.cpu
            except BadJournal as error:
                assert "\n" not in str(error) and str(path) in str(error)
                assert path.read_bytes() == data, "a refused journal was changed"
                assert expected is None, "it could have been opened"
                return "refused"
            assert expected is not None and found[0] == expected, "other entries"
            with Journal(path, _BUILD) as journal:
                assert found == (journal.entries, journal.failures, journal.cpu) and not journal.dropped
            return "accepted"

        return _try("journal", tried, arch, seed, numbers)


def _try(kind: str, tried: Callable[[random.Random], str], arch: str, seed: int, numbers: range) -> Outcome:
    outcome = Outcome()
    for number in numbers:
        start = time.monotonic()
        try:
            outcome.counts[tried(random.Random(f"{arch} {seed} {number}"))] += 1
            assert time.monotonic() - start < ENOUGH, "took too long"
        except Exception as error:  # a crash
            outcome.findings.append(f"{kind} {number} of seed {seed}, {arch}: {type(error).__name__}: {error}")
    return outcome


def _said_of(words: Sequence[str]) -> tuple[int, str]:
    """Runs a command. Returns its status and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(words)
    assert isinstance(end.value.code, int) and not out.getvalue()
    return end.value.code, err.getvalue()


@cache
def _journal() -> bytes:
    """A journal in which some units have failed, of which some were done later."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with Journal(path, _BUILD) as journal:
            for n, entry in enumerate(entries(3)):
                unit = Unit("module:function", entry.parameters)
                if n % 5 == 0:
                    journal.fail(unit, "a reason", 0.25)
                if n % 7:
                    journal.add(unit, entry.measures, 0.5)
        return path.read_bytes()


@cache
def _lines() -> dict[bytes, tuple[str, Entry] | None]:
    """The units that are done, by their lines; None: a unit that has failed."""
    head, *lines = _journal().splitlines()
    found: dict[bytes, tuple[str, Entry] | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            path = Path(folder) / "journal"
            path.write_bytes(head + b"\n" + line + b"\n")
            with Journal(path, _BUILD) as journal:
                found[line] = next(iter(journal.entries.items()), None)
    return found


def _expected(data: bytes) -> dict[str, Entry] | None:
    """The entries that a journal has; None: it must be refused. Only its last line may be damaged."""
    head = _journal().split(b"\n")[0]
    *lines, unfinished = data.split(b"\n")
    if not lines:
        return {} if head.startswith(unfinished) else None
    if lines[0] != head or head in lines[1:]:
        return None
    known = _lines()
    wrong = [n for n, line in enumerate(lines[1:], start=1) if line not in known]
    if wrong and (wrong[0] < len(lines) - 1 or unfinished):
        return None
    done = [known[line] for line in lines[1:] if line in known]
    return dict(one for one in done if one is not None)
