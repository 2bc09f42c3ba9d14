# SPDX-License-Identifier: GPL-2.0-only
"""The ladder: rungs pass on finished ports, fail on broken ones, and say what is wrong and where."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import pytest

from emu.architectures import ARCHITECTURES
from emu.cpu import arch as cpu_arch
from emu.kernel import arch as kernel_arch
from emu.port import seam
from emu.port.ladder import arch as templates
from emu.port.ladder.assembler import NoTools, labelled, tools
from emu.port.ladder.climbing import Outcome, attempt, climb
from emu.port.ladder.litmus import check_litmus
from emu.port.ladder.report import describe, relevant
from emu.port.ladder.rung import NotSupported, Rung, RungFailed
from emu.port.ladder.rungs import RUNGS

BY_NAME = {rung.name: rung for rung in RUNGS}
BARE = [rung.name for rung in RUNGS[: [rung.name for rung in RUNGS].index("link")]]
GUEST = [rung.name for rung in RUNGS if rung.name not in (*BARE, "suite")]
REQUIREMENTS = {
    "mcount", "ftrace_stub", "return_to_handler", "HAVE_FUNCTION_GRAPH_FP_TEST", "HAVE_FUNCTION_GRAPH_RET_ADDR_PTR",
    "HAVE_FTRACE_MCOUNT_RECORD", "HAVE_SYSCALL_TRACEPOINTS", "ftrace_make_nop", "ftrace_make_call", "ftrace_modify_call",
    "ftrace_graph_caller", "HAVE_DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "HAVE_DYNAMIC_FTRACE_WITH_ARGS",
    "HAVE_DYNAMIC_FTRACE_WITH_REGS",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _compiler(request: pytest.FixtureRequest) -> None:
    if "arch" in request.fixturenames:
        try:
            tools(request.getfixturevalue("arch"))
        except NoTools as why:
            pytest.skip(str(why))


def climbed(rungs: Sequence[Rung], arch: str) -> list[Outcome]:
    return [found for found in climb(rungs, arch) if isinstance(found, Outcome)]


def test_the_rungs_are_those_of_the_list_of_parts() -> None:
    assert [rung.name for rung in RUNGS] == list(seam.RUNGS)


def test_a_rung_is_about_parts_that_there_are() -> None:
    assert {name for rung in RUNGS for name in rung.parts} <= {part.name for part in seam.parts()}


def test_each_requirement_is_on_a_rung() -> None:
    on_rungs = [name for rung in RUNGS for name in rung.requirements]
    assert set(on_rungs) == REQUIREMENTS
    assert len(on_rungs) == len(REQUIREMENTS)


def test_an_architecture_adds_checks_to_rungs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module beside the templates has functions with rungs' names."""
    known = {name.replace("-", "_") for name in BY_NAME}
    added = {}
    for arch in ARCHITECTURES:
        module = f"emu.port.ladder.arch.{arch}_checks"
        if importlib.util.find_spec(module) is not None:
            added[arch] = importlib.import_module(module)
            assert set(added[arch].__all__) <= known
    arch, module_of = next(iter(added.items()))
    called = []
    monkeypatch.setattr(module_of, module_of.__all__[0], lambda: called.append("peculiar"))
    rung = Rung(module_of.__all__[0].replace("_", "-"), "", lambda arch: called.append(arch))
    assert rung(arch) is None
    assert called == [arch, "peculiar"]


def test_each_instruction_gets_a_label() -> None:
    text = labelled("70: nop; .option rvc; ~skipped: ret\nret;", "one")
    assert text == "one0: 70: nop; .option rvc; skipped: ret; one3: ret"


@pytest.mark.parametrize("name", BARE)
def test_a_finished_port_passes_on_a_bare_board(arch: str, name: str) -> None:
    assert attempt(BY_NAME[name], arch).failure is None


@pytest.mark.parametrize("name", GUEST)
def test_a_finished_port_passes_with_its_guest(arch: str, name: str) -> None:
    assert attempt(BY_NAME[name], arch).failure is None


def test_litmus_tests_of_a_finished_port_are_as_it_says(arch: str) -> None:
    check_litmus(arch)


def test_a_translation_that_is_not_written_fails_the_rung_mmu(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(cpu_arch.load(arch)), "translate", lambda self, env, ram, address: None)
    outcome = attempt(BY_NAME["mmu"], arch)
    assert outcome.failure is not None
    assert "CpuArch.translate() before a page is mapped" in outcome.failure.expected
    assert outcome.failure.registers and any(line.startswith("=> ") for line in outcome.failure.code)
    text = describe(BY_NAME["mmu"], outcome, arch)
    (other, *_) = [name for name in ARCHITECTURES if name != arch]
    assert text.startswith("mmu: FAILED: a page is mapped and unmapped;")
    assert re.search(rf"^    CpuArch.translate  emu/cpu/arch/{arch}/__init__.py$", text, re.MULTILINE)
    assert re.search(rf"docs/architecture-seam.md, 2. Booting one CPU; as in .*emu/cpu/arch/{other}/__init__.py", text)


def test_a_stub_that_raises_names_itself_first(arch: str) -> None:
    source = "def registers(self, env):\n    raise NotImplementedError('registers: show a CPU')\n"
    code = compile(source, f"{templates.__file__.split('/emu/port/')[0]}/emu/cpu/arch/{arch}/__init__.py", "exec")
    scope: dict[str, object] = {}
    exec(code, scope)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(cpu_arch.load(arch)), "registers", scope["registers"])
        outcome = attempt(BY_NAME["state"], arch)
    assert outcome.failure is not None
    assert outcome.failure.seen == "NotImplementedError: registers: show a CPU"
    assert outcome.failure.functions[0] == (f"emu/cpu/arch/{arch}/__init__.py", "registers")
    assert relevant(BY_NAME["state"], outcome, arch)[0].name == "CpuArch.registers"


def test_a_kernel_that_cannot_be_read_fails_to_link(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(kernel_arch.load(arch)), "elf_machine", "EM_68K")
    outcome = attempt(BY_NAME["link"], arch)
    assert outcome.failure is not None and "BadImage" in outcome.failure.seen


# The engine


def _crash(arch: str) -> str | None:
    ctypes.string_at(8)
    return None


def _hang(arch: str) -> str | None:
    while True:
        pass


def _fail(arch: str) -> NoReturn:
    raise RungFailed("one", "two", {"pc": 16}, ["=> 0x10: 00 nop"])


def _unsupported(arch: str) -> NoReturn:
    raise NotSupported("it says so")


def _exit(arch: str) -> NoReturn:
    os._exit(3)


def _pass(arch: str) -> str:
    return "a note"


def test_the_ladder_stops_at_the_first_rung_that_fails() -> None:
    rungs = [Rung("state", "", _pass), Rung("hello", "", _unsupported), Rung("slices", "", _fail), Rung("blocks", "", _pass)]
    first, second, third = climbed(rungs, ARCHITECTURES[0])
    assert (first.note, first.failure) == ("a note", None)
    assert (second.note, second.failure) == ("not supported by this port: it says so", None)
    assert third.failure is not None
    assert (third.failure.expected, third.failure.seen, third.failure.registers) == ("one", "two", {"pc": 16})


def test_a_crash_is_a_failure() -> None:
    (outcome,) = climbed([Rung("state", "", _crash)], ARCHITECTURES[0])
    assert outcome.failure is not None
    assert outcome.failure.seen.startswith("Unicorn, or a function that it calls, crashed: Segmentation fault")


def test_a_process_that_ends_is_a_failure() -> None:
    (outcome,) = climbed([Rung("state", "", _exit)], ARCHITECTURES[0])
    assert outcome.failure is not None and outcome.failure.seen == "the process ended"


def test_a_hang_is_a_failure() -> None:
    (outcome,) = climbed([Rung("state", "", _hang, limit=1)], ARCHITECTURES[0])
    assert outcome.failure is not None
    assert outcome.failure.seen.startswith("hangs: there is no answer after 1 seconds of processor time")


def test_what_a_failed_rung_says() -> None:
    outcome = attempt(Rung("atomics", "title", _fail), ARCHITECTURES[0])
    text = describe(Rung("atomics", "title", _fail), outcome, ARCHITECTURES[0])
    assert text.startswith(
        "atomics: FAILED: title\n  expected\n    one\n  seen\n    two\n  registers\n         pc 0000000000000010\n"
        "  code\n    => 0x10: 00 nop\n"
    )


# The command


def emu(*words: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "emu", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})})


def test_the_command_checks_rungs(arch: str) -> None:
    done = emu("port", "check", arch, "--only", "hello", "--only", "nops")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "hello: a program executes, and calls the host\nnops: after the boot each site is a nop [ftrace_make_nop, ftrace_stub]\n"
    )


def test_the_command_lists_rungs() -> None:
    done = emu("port", "check", "--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [rung.name for rung in RUNGS]
    assert "[HAVE_FUNCTION_GRAPH_FP_TEST]" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "there is no .*firmware/arch/nowhere/Makefile: `emu port new` begins a port"),
        ([], "which architecture"),
        (["x", "--from", "nothing"], "there is no rung 'nothing'"),
        (["x", "--from", "nops", "--only", "nops"], "--from and --only do not go together"),
    ],
)
def test_bad_arguments_are_one_line(words: Sequence[str], message: str) -> None:
    done = emu("port", "check", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert re.search(message, done.stderr) and len(done.stderr.splitlines()) == 1


def test_a_missing_compiler_is_one_line(arch: str) -> None:
    done = emu("port", "check", arch, environment={"PATH": "/nonexistent"})
    assert done.returncode == 2
    assert re.fullmatch(rf"emu: checking {arch} needs \S*gcc \(on Debian: apt-get install gcc\S*\)\n", done.stderr)
