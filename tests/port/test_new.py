# SPDX-License-Identifier: GPL-2.0-only
"""emu port new: the files with which a port begins, and what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import capstone
import keystone
import pytest
import unicorn
from click.testing import CliRunner

from emu.architectures import ARCHITECTURES
from emu.cli.main import cli
from emu.cpu.internals import address_of
from emu.port import seam
from emu.port.skeleton import machine, probe
from emu.port.skeleton.writing import write_port
from emu.port.stub import NotWritten, Value, explained

ROOT = Path(__file__).resolve().parent.parent.parent
MACHINES = tomllib.loads((ROOT / "emu/port/skeleton/machines.toml").read_text())
NEW = "mips64"


def checkout(folder: Path) -> Path:
    """A copy of what a port is written to and imported from."""
    shutil.copytree(ROOT / "emu", folder / "emu")
    finished = f"firmware/arch/{ARCHITECTURES[0]}"
    shutil.copytree(ROOT / finished, folder / finished)
    for name in ("firmware/Makefile", "tests/lib/arches.py", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A checkout with a port that begins, and the paths of its files."""
    root = checkout(tmp_path_factory.mktemp("checkout"))
    return root, list(write_port(root, machine.find(NEW, NEW, None, 4096, None)))


def test_each_part_has_its_place(port: tuple[Path, list[str]]) -> None:
    """And a stub, a value, or a comment that tells about it, unless there is a default."""
    root, files = port
    assert {part.in_port(NEW) for part in seam.parts() if not part.optional} <= set(files)
    silent = []
    for part in seam.parts():
        path = root / part.in_port(NEW)
        name = part.name.rpartition(".")[2] if part.place.endswith(".py") else part.name.removeprefix("asm/")
        if path.name != name:
            silent += [part.name] if not path.is_file() or not re.search(rf"\b{name}\b", path.read_text()) else []
    # The optional ones have defaults: in firmware/include/asm, or in the abstract class.
    defaults = {part.name for part in seam.parts() if part.optional and ("/include/" in part.place or part.place[:4] == "emu/")}
    assert set(silent) - defaults == set()


def test_the_python_is_clean_and_says_what_is_missing(port: tuple[Path, list[str]]) -> None:
    root, files = port
    python = [path for path in files if path.endswith(".py")]
    ruff = subprocess.run([sys.executable, "-m", "ruff", "check", *python], cwd=root, capture_output=True, text=True)
    assert ruff.returncode == 0, ruff.stdout
    script = f"""
from emu.cpu import arch as cpu
from emu.ftrace import arch as ftrace
from emu.kernel import arch as kernel
from emu.port.ladder import arch as templates
from emu.port.stub import NotWritten
from emu.race import arch as race
from emu.race.litmus import arch as litmus

def refusal(what):
    try:
        what()
    except NotWritten as error:
        return error.name
    return "nothing"

print(cpu.load("{NEW}").byte_order, cpu.load("{NEW}").layout().cpu_env > 0, kernel.load("{NEW}").elf_machine)
print(refusal(lambda: cpu.load("{NEW}").translate(0, memoryview(b""), 0)), refusal(lambda: cpu.load("{NEW}").native()))
print(refusal(lambda: ftrace.load("{NEW}").nop), refusal(lambda: ftrace.load("{NEW}").callbacks(None, False)))
print(race.load("{NEW}").fetch_models, refusal(lambda: litmus.load("{NEW}").filler))
print(refusal(lambda: templates.load("{NEW}").jump("there")), refusal(lambda: ftrace.load("{NEW}").probing().registers))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "big True EM_MIPS",
        "CpuArch.translate cpu.native.host_call",
        "FtraceArch.nop ftrace.native.build",
        "() LitmusArch.filler",
        "AssemblerTemplates.jump Probing.registers",
    ], done.stderr


def test_stubs_of_the_guest_end_the_machine_with_their_text(port: tuple[Path, list[str]]) -> None:
    root, _ = port
    text = (root / f"firmware/arch/{NEW}/tlb.c").read_text()
    (stub,) = re.findall(r"^void load_mm\(struct mm_struct \*mm\)\n\{\n(.*?)\n\}", text, re.MULTILINE | re.DOTALL)
    said = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', stub)).replace('\\"', '"')
    what = next(part.what for part in seam.parts() if part.name == "load_mm")
    place = f'docs/architecture-seam.md, "4. User mode and system calls"; firmware/arch/{NEW}/tlb.c'
    assert stub.startswith("\tport_stub(") and said == f"load_mm is not written: {what} {place}"
    entry = (root / f"firmware/arch/{NEW}/entry.S").read_text()
    assert "SYM_FUNC_START(ret_from_fork)\n\tPORT_STUB\nSYM_FUNC_END(ret_from_fork)" in entry
    assert [line for line in (text + entry).splitlines() if len(line.expandtabs(8)) > 80] == []
    calls = (root / f"firmware/arch/{NEW}/include/uapi/asm/syscalls_64.h").read_text()
    assert "__SYSCALL(0, read)" in calls and "rt_sigreturn" in calls and "arch_prctl" not in calls


def foreign() -> str | None:
    """A processor without a port whose compiler is here."""
    return next((arch for arch in MACHINES if arch not in ARCHITECTURES and shutil.which(f"{MACHINES[arch]['cross']}gcc")), None)


@pytest.mark.long("it compiles a kernel")
@pytest.mark.skipif(foreign() is None or shutil.which("make") is None, reason="needs a compiler for another processor")
def test_its_kernel_links_with_the_fallbacks(tmp_path: Path) -> None:
    arch = foreign()
    assert arch is not None
    root = checkout(tmp_path)
    shutil.rmtree(root / "firmware")
    shutil.copytree(ROOT / "firmware", root / "firmware", ignore=shutil.ignore_patterns("build", "images"))
    name = next(name for name in machine.unicorn_names() if name in ("arm64", arch))
    write_port(root, machine.find(arch, name, None, 4096, None))
    made = ["make", "-j2", "-C", "firmware", f"ARCH={arch}", f"build/{arch}/vmlinux"]
    done = subprocess.run(made, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    nm = [f"{MACHINES[arch]['cross']}nm", f"firmware/build/{arch}/vmlinux"]
    symbols = {line.split()[-1]: line.split()[-2] for line in subprocess.check_output(nm, cwd=root, text=True).splitlines()}
    assert symbols["module_alloc"] == symbols["setup_rt_frame"] == symbols["arch_uprobe_analyze_insn"] == "W"
    assert symbols["load_mm"] == symbols["startup"] == "T"


def test_it_is_registered_once(port: tuple[Path, list[str]]) -> None:
    root, _ = port
    assert f'{ARCHITECTURES[-1]}", "{NEW}")' in (root / "emu/architectures.py").read_text()
    compile((root / "tests/lib/arches.py").read_text(), "arches.py", "exec")
    assert f'"{NEW}": Facts(' in (root / "tests/lib/arches.py").read_text()
    included = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert all((root / path).exists() for path in included if NEW in path) and sum(NEW in path for path in included) == 4
    with pytest.raises(ValueError, match=f"^there is a port called {NEW}$"):
        write_port(root, machine.find(NEW, NEW, None, 4096, None))
    (root / "emu/architectures.py").write_text((ROOT / "emu/architectures.py").read_text())
    with pytest.raises(ValueError, match=r"^there is \S+ already$"):
        write_port(root, machine.find(NEW, NEW, None, 4096, None))


def test_what_a_stub_says() -> None:
    said = explained(NEW, "setup_rt_frame")
    declaration = "int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)"
    assert said.startswith(f"setup_rt_frame is not written.\n{declaration}\nMakes ")
    assert f'docs/architecture-seam.md, "4. User mode and system calls". Write it in firmware/arch/{NEW}/signal.c;' in said
    places = re.findall(r"firmware/arch/(\w+)/signal.c:(\d+)", said)
    assert [arch for arch, _ in places] == list(ARCHITECTURES)
    for arch, line in places:
        assert "setup_rt_frame" in (ROOT / f"firmware/arch/{arch}/signal.c").read_text().splitlines()[int(line) - 1]

    class Port:
        nop = Value(NEW, "FtraceArch.nop")

    with pytest.raises(NotWritten, match=r"^FtraceArch\.nop is not written"):
        _ = Port.nop


@pytest.mark.parametrize("arch", MACHINES)
def test_what_is_known_of_processors_is_so(arch: str) -> None:
    """Of the installed Unicorn, capstone and keystone."""
    facts = MACHINES[arch]
    assert all(hasattr(unicorn, name) for name in facts["unicorn"])
    assert all(hasattr(capstone, name) for name in facts["capstone"]) and all(hasattr(keystone, n) for n in facts["keystone"])
    assert address_of(f"reg_write_{arch}") and address_of(f"gen_intermediate_code_{arch}")
    assert facts["deliver"] == "" or address_of(facts["deliver"])
    name = max(facts["unicorn"], key=lambda known: arch.startswith(known[len("UC_MODE_") :].lower()))[len("UC_MODE_") :].lower()
    found = machine.find(arch, name, facts["byte_order"], 8192, "prefix-")
    assert (found.page_shift, found.cross) == (13, "prefix-")
    general, pc = probe.general_and_pc(found)
    assert (general is not None and general % 8 == 0 and pc is not None) or arch in ARCHITECTURES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["z80", "--unicorn", "z80"], r"unicorn [\d.]+ has no 'z80' \(it has: .*arm64.*\)"),
        (["m68k", "--unicorn", "m68k"], r"emu cannot have a port to 'm68k': it needs 64 bits \(ports can be to .*arm64.*\)"),
        (["arm", "--unicorn", "arm64"], "the port has to be called aarch64, as Unicorn calls its functions for 'arm64'"),
        (["ppc64", "--unicorn", "ppc64", "--byte-order", "little"], "Unicorn's 'ppc64' is not little-endian"),
        ([NEW, "--unicorn", NEW, "--page-size", "1000"], "a page has 1024 to 65536 bytes, a power of 2, not 1000"),
        (["../x", "--unicorn", NEW], r"'../x' is no name of a port: lower-case letters, digits and _"),
        ([ARCHITECTURES[1], "--unicorn", ARCHITECTURES[1]], f"there is a port called {ARCHITECTURES[1]}"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(cli, ["port", "new", *arguments])
    assert done.exit_code == 1 and re.fullmatch(f"Error: {message}\n", done.output), done.output


def test_an_installed_package_is_no_checkout(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no checkout of emu, with the sources of its guest kernel"):
        write_port(tmp_path, machine.find(NEW, NEW, None, 4096, None))
    assert not list(tmp_path.iterdir())


def test_what_the_guest_can_do_without_has_a_fallback() -> None:
    """The optional functions, and no others, are in firmware/fallback; the optional headers have defaults."""
    firmware = ROOT / "firmware"
    texts = "".join(path.read_text() for path in (firmware / "fallback").glob("*.c"))
    weak = set(re.findall(r"^__(?:fallback|ftrace_stub) [^(]*?\b(\w+)\(", texts, re.MULTILINE))
    optional = {part for part in seam.parts() if part.optional and part.place.startswith("firmware/")}
    assert weak == {part.name for part in optional if "/include/" not in part.place}
    headers = {Path(part.place).name for part in optional if "/include/" in part.place}
    assert headers and all((firmware / "include/asm" / name).is_file() for name in headers)
