# SPDX-License-Identifier: GPL-2.0-only
"""docs/certificates.md has what `make certificates` writes: safe, with as many states as are searched."""

from __future__ import annotations

from tests.documents.certificates import HEAD, SECTIONS, document, lines_of
from tests.documents.sessions import ROOT

TEXT = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")


def test_all_of_it() -> None:
    assert document() == TEXT


def test_one_section() -> None:
    section = next(section for section in SECTIONS if section.title == "Call sites: `flush` on sparc64")
    assert "\n".join(lines_of(section)) in TEXT


def test_there_is_a_certificate_for_each_kind_of_change_and_each_is_safe() -> None:
    assert TEXT.startswith(HEAD)
    assert [line.removeprefix("## ") for line in TEXT.splitlines() if line.startswith("## ")] == [s.title for s in SECTIONS]
    kinds = {section.title.split(" on ")[0].split(":")[0] for section in SECTIONS}
    assert kinds == {"Call sites", "Static keys", "Probes", "Live patches"}
    assert "**" not in TEXT and TEXT.count(": safe for any number of CPUs. ") == len(SECTIONS)
