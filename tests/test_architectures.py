# SPDX-License-Identifier: GPL-2.0-only
"""An architecture is named in its own files only, and these are the ones that docs/architecture-seam.md lists."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES
from tests.test_architecture_seam import DOCUMENT

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"x86|sparc|i386|amd64", re.IGNORECASE)
ALLOWED = {
    "emu/architectures.py": "the list of all",
    "emu/cli/race/certify.py": "examples of the command",
    "emu/cli/tour.py": "examples of the command",
    "emu/cpu/far_memory.py": "the host's addresses, not the guest's",
    "emu/ftrace/errors.py": "prefixes of Linux's system calls, by which users know them whatever the machine is",
    "emu/ftrace/tracefs/readme.py": "a text for the guest's users",
    "emu/linux/__init__.py": "the one architecture on which Linux is booted",
    "emu/linux/lift/__init__.py": "the same",
    "emu/linux/tracing/__init__.py": "the same",
    "emu/race/litmus/litmus_text.py": "an example of a litmus test's first line",
    "emu/tour/document.py": "the name of a document",
}
# The folders of a board that only one architecture has, and modules about that board, whose paths do not name it.
BOARDS = {"emu/cpu/pc/": "x86_64", "emu/cpu/native/pc/": "x86_64", "emu/linux/boot_params.py": "x86_64"}
BOARDS |= {"emu/linux/orc.py": "x86_64", "emu/linux/call_frames.py": "x86_64", "emu/ftrace/native/orc_record.py": "x86_64"}
FOLDERS = {
    "emu/cpu/arch", "emu/cpu/native/arch", "emu/ftrace/arch", "emu/ftrace/native/arch", "emu/gdb/arch", "emu/kernel/arch",
    "emu/race/arch",
    "emu/race/litmus/arch", "firmware/arch", "firmware/modules/arch", "firmware/modules/race_lab/arch", "firmware/user/arch",
    "firmware/workloads/arch",
}  # fmt: skip


def tracked(folder: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", folder], cwd=ROOT, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def own(path: str) -> str | None:
    """The architecture that a file is of."""
    of_board = next((name for place, name in BOARDS.items() if path.startswith(place)), None)
    return of_board or next((name for name in ARCHITECTURES if any(part.startswith(name) for part in path.split("/"))), None)


def test_the_boards_of_an_architecture_are_there() -> None:
    assert all(name in ARCHITECTURES and tracked(place) for place, name in BOARDS.items())


def test_no_other_file_names_an_architecture() -> None:
    general = [path for path in tracked("emu") if path.endswith(".py") and own(path) is None]
    assert len(general) > 500
    named = {path for path in general if NAME.search((ROOT / path).read_text())}
    assert named == set(ALLOWED)


def listed() -> set[Path]:
    """The files and folders that the document links to."""
    links = re.findall(r"\((\.\./[^)#]+)\)|^\[[^]]+\]: (\S+)", DOCUMENT.read_text(), re.MULTILINE)
    return {(DOCUMENT.parent / (inline or reference)).resolve() for inline, reference in links}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_an_architecture_is_what_the_document_lists(name: str) -> None:
    """Each of its files is listed, or lies in a folder that is; each module of them can be loaded."""
    known = listed()
    files = [path for folder in ("emu", "firmware") for path in tracked(folder) if own(path) == name and "/images/" not in path]
    assert {path.split(f"/{name}")[0] for path in files} >= FOLDERS
    missing = [path for path in files if not {(ROOT / path), *(ROOT / path).parents} & known]
    assert missing == []
    for path in files:
        if path.startswith("emu/") and path.endswith(".py"):
            importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
