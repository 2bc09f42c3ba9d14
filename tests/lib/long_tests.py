# SPDX-License-Identifier: GPL-2.0-only
"""The tests that the suite leaves to `make soak`: a plugin of pytest. `pytest --long`, which `make soak` calls, runs everything.

* `long_tests.txt` lists the tests that take long, as measured (cpu_times.py): cases, and functions with all their cases.
* `long(why)` marks what must not run in the suite, however long it takes. `long(why, but=NAME)` leaves out all
  architectures but one, which shows nearly the same as the others.
* Of the tests that run on each architecture, one of PARTS[NAME] runs on an architecture that has such a part.
* On the others, a file is run on one of them where the architecture makes no difference, and each fifth file on both.
  FILES_OF_ARCHITECTURES and the folders below are run on both. Both choices are derived from names, so they are always the same.

`pytest -m quick` runs the folders and files of QUICK: the parts of emu by themselves.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES

# Machine code, registers, traps and patching: here architectures differ.
FOLDERS_OF_ARCHITECTURES = ("tests/cpu", "tests/kernel", "tests/ftrace/native")
FILES_OF_ARCHITECTURES = (
    "tests/test_firmware.py",
    "tests/test_images.py",
    "tests/test_traces.py",
    "tests/documents/test_sections.py",
    "tests/cli/test_patching.py",
    "tests/gdb/test_architectures.py",
    "tests/gdb/test_stub.py",
    "tests/guest/test_faults.py",
    "tests/guest/test_kernel_stack.py",
    "tests/guest/test_signals.py",
    "tests/guest/test_system_call_registers.py",
    "tests/guest/test_windows.py",
    "tests/port/test_ladder.py",
    "tests/race/test_machine.py",
    "tests/race/test_machine_corpus.py",
    "tests/ftrace/test_callbacks.py",
    "tests/ftrace/test_direct_calls.py",
    "tests/ftrace/test_guest_kprobes.py",
    "tests/ftrace/test_interrupts_anywhere.py",
    "tests/ftrace/test_keys.py",
    "tests/ftrace/test_kprobe_stacks.py",
    "tests/ftrace/test_kprobes.py",
    "tests/ftrace/test_live_patches.py",
    "tests/ftrace/test_nmi.py",
    "tests/ftrace/test_own_protocols.py",
    "tests/ftrace/test_patching.py",
    "tests/ftrace/test_rethooks.py",
    "tests/ftrace/test_return_stack.py",
    "tests/ftrace/test_site.py",
    "tests/ftrace/test_stacks.py",
    "tests/ftrace/test_trampolines.py",
    "tests/ftrace/test_witness.py",
)
SHARE = 5  # one file of this many is run on both
PARTS = {"riscv64": 10}  # of this architecture's tests, one of this many runs
WHOLE = tuple(name for name in ARCHITECTURES if name not in PARTS)
QUICK = (
    "tests/cpu/", "tests/kernel/", "tests/native/", "tests/race/", "tests/trace/test_", "tests/ftrace/event/",
    "tests/ftrace/hist/", "tests/ftrace/native/", "tests/ftrace/text/", "tests/ftrace/trigger/", "tests/test_machine.py",
    "tests/test_imports.py", "tests/test_architectures.py",
)  # fmt: skip

LIST = Path(__file__).with_name("long_tests.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what takes long, too, and everything on every architecture")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long(why, but=None): only --long runs it, or its cases of all architectures but one")
    config.addinivalue_line("markers", "quick: of the parts of emu by themselves; all of them take two minutes")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m quick` does not even import the other files."""
    other = collection_path.is_file() and not collection_path.relative_to(config.rootpath).as_posix().startswith(QUICK)
    return True if other and config.option.markexpr == "quick" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(QUICK):
            item.add_marker("quick")
    if config.getoption("--long"):
        return
    listed = set(LIST.read_text().splitlines())
    left = {
        item
        for item in items
        if item.nodeid in listed
        or function_of(item.nodeid) in listed
        or _is_long(item)
        or _is_shown_on_another(item, config.rootpath)
        or not is_in_part(item.nodeid, _arch(item))
    }
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


def function_of(test: str) -> str:
    """A test's name without its case, and without the timing model of the sample (timing_models.py)."""
    return re.sub(r"(@\w+)?(\[.*)?$", "", test, flags=re.DOTALL)


def _arch(item: pytest.Item) -> str | None:
    callspec = getattr(item, "callspec", None)
    arch = callspec.params.get("arch") if callspec else None
    return arch if isinstance(arch, str) else None


def _is_long(item: pytest.Item) -> bool:
    return any("but" not in mark.kwargs or mark.kwargs["but"] != _arch(item) for mark in item.iter_markers("long"))


def _is_shown_on_another(item: pytest.Item, root: Path) -> bool:
    """Whether the item's architecture makes no difference, and its file is run on another one."""
    arch, path = _arch(item), item.path.relative_to(root).as_posix()
    if arch not in WHOLE or path.startswith(FOLDERS_OF_ARCHITECTURES) or path in FILES_OF_ARCHITECTURES:
        return False
    number = zlib.crc32(path.encode())
    return number % SHARE != 0 and arch != WHOLE[number // SHARE % len(WHOLE)]


def is_in_part(test: str, arch: str | None) -> bool:
    """Whether a test is in the part of its architecture's tests that the suite runs."""
    return zlib.crc32(test.encode()) % PARTS.get(arch or "", 1) == 0
