# SPDX-License-Identifier: GPL-2.0-only
"""Some of gdb's own tests, where gdb's sources and DejaGnu are: GDB_TESTSUITE is gdb/testsuite in the sources."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.gdb.dejagnu.running import TESTS, missing, named_tests, run

TESTSUITE = Path(os.environ.get("GDB_TESTSUITE", "/usr/src/gdb/gdb/testsuite"))
DOCUMENT = Path(__file__).parents[2] / "docs/gdb-tests.md"
SOME = ("gdb.base/recurse.exp", "gdb.reverse/finish-reverse.exp")


def test_the_document_has_the_tests_on_the_list() -> None:
    names = [test.name for test in named_tests()]
    assert len(names) == len(set(names)) > 90, TESTS
    rows = [line.split("`")[1] for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert rows == names


@pytest.mark.skipif(bool(missing()) or not TESTSUITE.is_dir(), reason="needs runtest, gdb, gcc, and gdb's sources")
def test_tests_of_gdb_pass(tmp_path: Path) -> None:
    for name in SOME:
        folder = tmp_path / Path(name).stem
        folder.mkdir()
        result = run(TESTSUITE, name, folder)
        assert result.passes > 15 and not result.failed, result.log
