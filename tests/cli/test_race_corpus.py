# SPDX-License-Identifier: GPL-2.0-only
"""`emu race corpus`: a line for each row, or the story of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from emu.race import corpus_rows
from tests.cli.conftest import Emu


def test_the_story_of_a_row(emu: Emu) -> None:
    status, out, err = emu("race", "corpus", "2017-opt")
    assert (status, err) == (0, "")
    text = out.decode()
    assert text.startswith("kprobes' jump optimisation before a30b85df") and "\nMutant of " in text
    assert "\nOk  coherent     torn after 7 events: " in text and "\n=> torn: " in text
    assert "\na30b85df (Linux 4.15): synchronize_rcu_tasks() waits for those, too" in text
    assert text.count("  safe for any number of CPUs") == 7 and "\nthis assumes:\n" in text


def test_rows_have_a_line_each(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [corpus_rows.row_of(name) for name in ("2012-tail-first", "rule-parcels")]
    monkeypatch.setattr(corpus_rows, "rows", lambda: few)
    status, out, _ = emu("race", "corpus")
    first, second, last = out.decode().splitlines()
    assert status == 0 and last.startswith("2 rows, ") and last.endswith(": all as they should be")
    assert first == "Ok  2012-tail-first                 torn in 2; fixed: safe"
    assert second == "Ok  rule-parcels                    torn in 2 on parcel; fixed: safe"
    document = json.loads(emu("race", "corpus", "--json").out)
    assert [row["row"] for row in document["rows"]] == ["2012-tail-first", "rule-parcels"] and document["complete"]
    assert all(verdict["outcome"] == "safe" for row in document["rows"] for verdict in row["fixed"])


def test_rows_on_the_guest(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [corpus_rows.row_of(name) for name in ("2012-tail-first", "2026-deferred")]
    monkeypatch.setattr(corpus_rows, "rows", lambda: few)
    status, out, _ = emu("race", "corpus", "--on", "machine")
    first, second, last = out.decode().splitlines()
    assert status == 0 and last.startswith("2 rows, 1 of them for the model alone, ") and last.endswith(": all as they should be")
    assert first == "Ok  2012-tail-first                 torn in 2; fixed: safe"
    assert second.startswith("--  2026-deferred-synchronisation   'user': the guest's CPUs begin in the kernel")
    status, out, _ = emu("race", "corpus", "2012-tail", "--on", "both")
    text = out.decode()
    assert status == 0 and "found on the machine" in text and text.count("; then: guest oops on CPU 0 | task race_lab/0") >= 7
    assert text.count("  machine  safe (") == text.count("  model    safe for any number of CPUs (") == 7
    status, out, err = emu("race", "corpus", "2026-def", "--on", "machine")
    assert (status, out) == (2, b"")
    assert err.startswith("emu: scenario 2026-deferred-synchronisation is for the model alone: 'user'")


def test_a_row_that_there_is_not(emu: Emu) -> None:
    status, out, err = emu("race", "corpus", "2008-two-nobs")
    assert (status, out) == (2, b"")
    assert err == "emu: the corpus has no row '2008-two-nobs'; did you mean 2008-two-nops?\n"


MINE = """\
scenario mine
protocol
    write head breakpoint
    sync
    write tail new
    sync
    write head new
"""


def test_an_answer(emu: Emu, tmp_path: Path) -> None:
    mine = tmp_path / "mine.race"
    mine.write_text(MINE)
    status, out, _ = emu("race", "corpus", "2012-tail", "--answer", str(mine))
    assert status == 1 and out.decode().endswith("\n\nNo: unknown-breakpoint\n")
    mine.write_text(MINE + "    sync\n")
    status, out, _ = emu("race", "corpus", "2012-tail", "--answer", str(mine))
    assert status == 0 and out.decode().endswith("Ok: a remedy\n") and out.count(b"safe for any number") == 7
    mine.write_text(MINE + "    sync\nnever torn\nchange call > nop\n")
    assert emu("race", "corpus", "2012-tail", "--answer", str(mine)).out == b"No: the question is another one: change, never\n"
    assert emu("race", "corpus", "--answer", str(mine)).status == 2


def test_a_schedule_as_a_picture_and_as_a_page(emu: Emu, tmp_path: Path) -> None:
    schedule = str(Path(corpus_rows.__file__).parent / "corpus/tail-first.schedule")
    status, out, _ = emu("race", "show", "--svg", schedule)
    assert status == 0 and out.startswith(b"<svg ") and out.endswith(b"</svg>\n")
    page = tmp_path / "x.html"
    assert emu("race", "show", "-o", str(page), schedule)[:2] == (0, b"")
    assert out.decode().rstrip("\n") in page.read_text() and page.read_text().startswith("<!DOCTYPE html>")
    assert emu("race", "show", "-o", str(tmp_path / "x.txt"), schedule).status == 2
    assert emu("race", "show", "--svg", "--step", schedule).status == 2
