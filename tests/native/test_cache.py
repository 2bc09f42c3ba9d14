# SPDX-License-Identifier: GPL-2.0-only
"""The cache of compiled natives: an edit recompiles what depends on it, and nothing else."""

from __future__ import annotations

import ast
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.native.cache import Sources, cache_directory, imported

ROOT = Path(__file__).resolve().parents[2]
NATIVE = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("emu/**/native/**/*.py"))
STATE = "emu/cpu/arch/sparc64/state.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of emu's sources that a test may edit."""
    shutil.copytree(ROOT / "emu", tmp_path / "emu", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def fingerprints(root: Path) -> dict[str, str]:
    """The fingerprints of all modules below folders called `native`."""
    sources = Sources(root)
    return {name: sources.fingerprint(str(root / name)) for name in NATIVE}


def changed(tree: Path, name: str, old: str, new: str) -> set[str]:
    """The native modules whose fingerprints change after an edit of one source."""
    before = fingerprints(tree)
    text = (tree / name).read_text()
    assert text.count(old) == 1
    (tree / name).write_text(text.replace(old, new))
    after = fingerprints(tree)
    return {native for native in NATIVE if before[native] != after[native]}


def test_exchanged_fields_of_a_cpus_state_compile_what_uses_it(tree: Path) -> None:
    edited = changed(tree, STATE, '("pc", u64), ("npc", u64)', '("npc", u64), ("pc", u64)')
    parts = ("", "_emulate", "_probe", "_registers", "_rethook", "_unwind", "_uprobe", "_user", "_windows")
    ftrace = {f"emu/ftrace/native/arch/sparc64{part}.py" for part in parts}
    cpu = {f"emu/cpu/native/arch/sparc64{part}.py" for part in ("", "_env", "_told")}
    assert edited == cpu | ftrace


def test_an_edit_of_tracing_leaves_the_cpus_alone(tree: Path) -> None:
    edited = changed(tree, "emu/ftrace/native/context.py", "from __future__", "#\nfrom __future__")
    assert {"emu/ftrace/native/arch/x86_64.py", "emu/ftrace/native/arch/sparc64.py"} <= edited
    assert not any(name.startswith("emu/cpu") for name in edited)


def test_an_edit_of_the_records_compiles_all_that_use_them(tree: Path) -> None:
    edited = changed(tree, "emu/native/records.py", "from __future__", "#\nfrom __future__")
    users = {name for name in NATIVE if "emu.native.records import" in (ROOT / name).read_text()}
    assert users < edited


def test_what_no_native_code_imports_changes_nothing(tree: Path) -> None:
    assert not changed(tree, "emu/machine/machine.py", "from __future__", "#\nfrom __future__")
    before = fingerprints(tree)
    (tree / "emu" / "cpu" / "another.py").write_text("")
    assert fingerprints(tree) == before


def parsed(text: str) -> Iterator[tuple[str, str]]:
    """The expected result of `imported`, by Python's own parser."""
    tree = ast.parse(text)
    checked = {
        id(inner)
        for node in tree.body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in checked:
            continue
        if isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names if name.name.split(".")[0] == "emu")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            if (node.module or "").split(".")[0] == "emu":
                yield from ((node.module or "", name.name) for name in node.names)


def test_imports_are_those_that_a_parser_finds() -> None:
    for path in ROOT.glob("emu/**/*.py"):
        text = path.read_text()
        assert set(imported(text)) == set(parsed(text)), path


ADDERS = """\
from __future__ import annotations
from added import added
from emu.native.functions import shared
from emu.native.records import i64

def build(added):
    @shared
    def add(value: i64) -> i64:
        return value + added()
    return add

print(build(added(1))(1), build(added(2))(1), build(added(1))(1))
"""
ADDED = """\
from __future__ import annotations
from emu.native.functions import njit
from emu.native.records import i64

def added(number):
    @njit
    def returned() -> i64:
        return number
    return returned
"""


def test_closures_have_code_of_their_own(tmp_path: Path) -> None:
    """Also in the second process, which takes them from the cache, and when they close over another module's function."""
    (tmp_path / "adders.py").write_text(ADDERS)
    (tmp_path / "added.py").write_text(ADDED)
    environment = dict(os.environ, EMU_CACHE_DIR=str(tmp_path / "cache"))

    def output() -> str:
        command = [sys.executable, tmp_path / "adders.py"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert output() == "2 3 2\n"
    compiled = set((tmp_path / "cache").rglob("*.nbc"))
    assert output() == "2 3 2\n"
    assert set((tmp_path / "cache").rglob("*.nbc")) == compiled
    (tmp_path / "added.py").write_text(ADDED.replace("return number", "return number + 10"))
    assert output() == "12 13 12\n"


OUTLINED = """\
from __future__ import annotations
import sys
from emu.native.functions import callback, outlined
from emu.native.records import i64

def build(number):
    @outlined
    def inner(value: i64) -> i64:
        STEPS
        return (value & 4) | number

    @callback
    def outer(value: i64) -> i64:
        return (inner(value) & 3) | (inner(value + 1) & 3) << 2
    return outer

for number in map(int, sys.argv[1:]):
    print(build(number).ctypes(0))
"""
STEPS = "\n".join(f"        value = value * {factor} ^ value >> 3" for factor in range(3, 203, 2))  # too many to be inlined


def test_functions_that_different_processes_have_compiled_go_together(tmp_path: Path) -> None:
    """Each was the first function compiled in its process, so numba numbers both alike."""
    (tmp_path / "outlined_numbers.py").write_text(OUTLINED.replace("        STEPS", STEPS))
    environment = dict(os.environ, EMU_CACHE_DIR=str(tmp_path / "cache"))

    def output(*numbers: str) -> str:
        command = [sys.executable, tmp_path / "outlined_numbers.py", *numbers]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert output("1") == "5\n"
    assert output("2") == "10\n"
    assert output("1", "2") == "5\n10\n"
    assert output("2", "1") == "10\n5\n"


SMALL = "from emu.cpu.native.host_clock import gettimeofday as f; assert f.address"
COMPLAINT = "cannot keep compiled code in {}: {}; every run will compile again (EMU_CACHE_DIR can name another folder)"


def run_with_cache(cache: Path, *command: str | Path, largest_file: int = -1) -> subprocess.CompletedProcess[str]:
    """Runs a command with this Python; no file that it writes may exceed `largest_file` bytes."""
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "EMU_CACHE_DIR": str(cache)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, -1)),
        capture_output=True,
        text=True,
        check=True,
    )


def compiled_in(cache: Path, **limits: int) -> str:
    """Compiles something small. Returns the complaints."""
    return run_with_cache(cache, "-c", SMALL, **limits).stderr


def test_a_cache_that_cannot_be_written_is_complained_of(tmp_path: Path) -> None:
    assert compiled_in(tmp_path) == ""
    assert len(list(tmp_path.rglob("*.nbc"))) == 1
    (tmp_path / "file").write_text("")
    assert COMPLAINT.format(tmp_path / "file", "Not a directory") in compiled_in(tmp_path / "file")
    assert COMPLAINT.format(tmp_path / "small", "File too large") in compiled_in(tmp_path / "small", largest_file=4096)
    assert [path for path in tmp_path.glob("small/**/*") if path.is_file()] == []
    assert not list(ROOT.glob("emu/**/*.nbc"))


def test_a_run_whose_cache_is_full_says_so_in_one_line(tmp_path: Path) -> None:
    command = ("-m", "emu", "run", "-p", "function", "--", "true")
    warm, full = cache_directory(), tmp_path / "cache"
    assert warm is not None
    expected = run_with_cache(warm, *command)
    assert expected.stderr == ""
    full.mkdir()
    for group in warm.iterdir():
        if not group.name.startswith(("emu.cpu.native.host_clock-", "emu.ftrace.native.task_switch-")):
            (full / group.name).symlink_to(group)
    done = run_with_cache(full, *command, largest_file=4096)
    assert done.stderr == f"emu: {COMPLAINT.format(full, 'File too large')}\n"
    assert done.stdout == expected.stdout
    assert [path for path in full.rglob("*") if path.is_file()] == []


def test_a_file_that_was_cut_short_is_compiled_again(tmp_path: Path) -> None:
    compiled_in(tmp_path)
    (file,) = tmp_path.rglob("*.nbc")
    whole = file.read_bytes()
    for kept in (0, len(whole) // 2):
        file.write_bytes(whole[:kept])
        assert compiled_in(tmp_path) == ""
        assert len(file.read_bytes()) == len(whole)
