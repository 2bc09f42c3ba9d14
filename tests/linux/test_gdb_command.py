# SPDX-License-Identifier: GPL-2.0-only
"""`emu gdb --linux`: gdb is started with the kernel's symbols, and runs a script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.needs import needs

pytestmark = [needs("gdb-multiarch"), pytest.mark.static_timing("an unmodified Linux has no other timing model")]


@pytest.mark.parametrize("debug", [False, True])
def test_a_script(real_kernel: Path, tmp_path: Path, debug: bool) -> None:
    """With the symbols of kallsyms, and with debug information, which is the kernel's if it is there."""
    kernel = real_kernel if debug else tmp_path / real_kernel.name
    if not debug:
        kernel.write_bytes(real_kernel.read_bytes())
    script = tmp_path / "commands.gdb"
    script.write_text("break vfs_read\ncontinue\nbacktrace\ndelete\ncontinue\nmonitor tasks\n")
    words = [sys.executable, "-m", "emu", "gdb", f"--linux={kernel}", "-x", str(script), "--", "cat /proc/version"]
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout
    assert "hit Breakpoint 1, " in done.stdout and " vfs_read (" in done.stdout
    assert " in ksys_read (" in done.stdout and " in entry_SYSCALL_64" in done.stdout
    assert "Linux version 6." in done.stdout and "The command has ended with status 0." in done.stdout
    assert " init\n" in done.stdout
