# SPDX-License-Identifier: GPL-2.0-only
"""The script that empties functions finds all of them, and what it makes of a file is still one."""

from __future__ import annotations

import ast

import pytest

from emu.port import seam
from tests.port import emptied
from tests.port.emptied import FILE, GROUP, MISSED, NAMED, OTHER, ROOT, verdict
from tests.port.functions import Groups, PortFunction, functions_of


def test_functions_of_a_port_are_found(arch: str) -> None:
    found = functions_of(ROOT, arch)
    assert len(found) > 200
    assert {function.path.split(f"/{arch}")[0] for function in found} >= {
        "emu/cpu/arch", "emu/cpu/native/arch", "emu/kernel/arch", "emu/ftrace/arch", "emu/ftrace/native/arch",
        "emu/race/litmus/arch", "firmware/arch", "firmware/user/arch",
    }  # fmt: skip
    names = {function.name for function in found}
    assert names >= {"translate", "registers", "setup_rt_frame", "return_to_handler", "copy_thread", "_start", "arch_syscall6"}


def test_an_emptied_file_lacks_one_body(arch: str) -> None:
    for function in functions_of(ROOT, arch):
        before = (ROOT / function.path).read_text()
        assert function.text != before
        if function.path.endswith(".py"):
            ast.parse(function.text)
        elif not function.path.endswith(".S"):
            assert function.text.count("{") - function.text.count("}") == before.count("{") - before.count("}")
            assert len(function.text) < len(before) + len("return 0;")


def _failed(rung: str, arch: str) -> str:
    listed = "".join(f"    {part.name}  {part.in_port(arch)}\n        what it does\n" for part in seam.parts(rung))
    return f"state: title\n{rung}: FAILED: title\n  seen\n    this\n  functions to write, or to look at\n{listed}"


@pytest.mark.parametrize(
    ("path", "name", "rung", "expected"),
    [
        ("emu/cpu/arch/ARCH/__init__.py", "translate", "mmu", NAMED),
        ("emu/cpu/arch/ARCH/__init__.py", "_helper", "mmu", FILE),
        ("emu/cpu/arch/ARCH/mmu.py", "walk", "mmu", GROUP),
        ("firmware/arch/ARCH/signal.c", "sys_rt_sigreturn", "mmu", OTHER),
    ],
)
def test_what_a_stop_says_of_a_function(arch: str, path: str, name: str, rung: str, expected: str) -> None:
    function = PortFunction(path.replace("ARCH", arch), name, 1, "")
    assert verdict(function, _failed(rung, arch), Groups(ROOT, arch)) == (rung, expected)
    assert verdict(function, "state: title\n", Groups(ROOT, arch)) == ("", MISSED)


def test_the_script_lists_functions(arch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert emptied.main([arch, "--list", "--only", "setup_rt_frame"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("setup_rt_frame")


def test_exempt_functions_are_few_and_exist(arch: str) -> None:
    found = {f"{function.path} {function.name}" for function in functions_of(ROOT, arch)}
    reasons = emptied.exempt(arch)
    assert reasons.keys() <= found
    assert all(reason.endswith(".") for reason in reasons.values())
    assert len(reasons) <= 0.02 * len(found)
