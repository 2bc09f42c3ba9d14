# SPDX-License-Identifier: GPL-2.0-only
"""The documents are correct: their sessions print what they show, and the targets of their links exist."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from emu.cli import main
from emu.cpu.arch import load
from emu.machine import Machine
from tests.documents.sessions import ROOT, as_shown, files_of, sessions

DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("firmware/**/README.md"), ROOT / "tests/README.md"]
COLUMNS = 120


@pytest.mark.default_timing("sessions show its times")
@pytest.mark.parametrize(
    ("document", "least"),
    [
        ("docs/races.md", 30), ("docs/race-lab.md", 5), ("docs/live-patching.md", 25), ("docs/latency.md", 40),
        ("docs/notebook.md", 12), ("docs/course.md", 5),
    ],
)
def test_sessions_give_what_the_document_shows(document: str, least: int) -> None:
    failed, tried = doctest.testfile(str(ROOT / document), module_relative=False)
    assert (failed, tried > least) == (0, True)


@pytest.mark.default_timing("sessions show its times")
@pytest.mark.parametrize(
    "document",
    [
        "README.md", "docs/campaigns.md", "docs/course.md", "docs/latency.md", "docs/port-riscv64.md", "docs/race-lab.md",
        "docs/race-mutants.md", "docs/reading-the-kernel.md",
    ],
)
def test_commands_give_what_the_document_shows(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / document).read_text()
    files_of(text, tmp_path)
    monkeypatch.chdir(tmp_path)
    shown = list(sessions(text))
    assert len(shown) > 2
    for session in shown:
        with pytest.raises(SystemExit):
            main(shlex.split(session.command))
        printed = capfd.readouterr()
        assert as_shown(session.shown, printed.out or printed.err), f"{session.command}\n{printed.out or printed.err}"


def test_the_readme_shows_a_program_that_runs() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# tracer: function_graph\n")


def test_the_readme_says_what_machines_there_are() -> None:
    text = re.sub(r"\s+", " ", (ROOT / "README.md").read_text())
    assert f"The machine is x86-64 with up to {load('x86_64').max_cpus} CPUs" in text
    assert f"SPARC V9 with up to {load('sparc64').max_cpus}" in text
    assert f"RISC-V with up to {load('riscv64').max_cpus}" in text
    frequency = inspect.signature(Machine).parameters["frequency"].default
    assert f"The CPUs have {frequency // 10**6} MHz, so a cycle is {10**6 / frequency:.3f} us" in text


def test_the_tour_of_the_kernel_names_what_is_in_its_files() -> None:
    text = (ROOT / "docs/reading-the-kernel.md").read_text()
    sections = re.findall(r"^### \d+\. `(\S+)`.*?\n\n(\*\*Read\*\*.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert len(sections) == 15
    for path, names in sections:
        files = [path, *re.findall(r"`([\w/]+\.[chS])`", names)]
        sources = "\n".join((ROOT / "firmware" / file).read_text() for file in files)
        assert [name for name in re.findall(r"`(\w+)`", names) if not re.search(rf"\b{name}\b", sources)] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 250


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text()
    links = re.findall(r"\]\(([^)(#:\s]+)\)", text) + re.findall(r"^\[[^]]+\]: (\S+)$", text, re.MULTILINE)
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_in_tables_are_defined_and_used(document: Path) -> None:
    text = document.read_text()
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    prose = re.sub(r"^\[[^]]+\]: .*$", "", text, flags=re.MULTILINE)
    defined = set(re.findall(r"^\[([^]]+)\]: ", text, re.MULTILINE))
    assert set(re.findall(r"\[(\w+/[^]]*)\](?![(\[])", rows)) <= defined
    assert [label for label in defined if f"[{label}]" not in prose] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_have_at_most_120_columns(document: Path) -> None:
    lines = enumerate(document.read_text().splitlines(), 1)
    assert [f"{document.name}:{number}" for number, line in lines if len(line) > COLUMNS] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_are_there(document: Path) -> None:
    names = re.findall(r"`((?:emu|docs|tests|benchmarks|firmware)/[\w./]+)`", document.read_text())
    assert [name for name in names if not (ROOT / name).exists()] == []
