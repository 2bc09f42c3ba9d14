# SPDX-License-Identifier: GPL-2.0-only
"""The list of what a port provides is what the finished ports provide and what the rest of the tree asks of them."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES
from emu.port.declarations import defined_functions
from emu.port.seam import RUNGS, Part, parts
from tests.lib.arches import FACTS
from tests.test_architecture_seam import DOCUMENT, PROVIDED

ROOT = Path(__file__).resolve().parent.parent.parent
FIRMWARE = ROOT / "firmware"
NAMES = {part.name for part in parts()}


def source(path: Path) -> str:
    return re.sub(r"/\*.*?\*/|//.*", "", path.read_text(), flags=re.DOTALL).replace("\\\n", " ")


def generic_words() -> set[str]:
    """All identifiers of the guest's sources that belong to no port."""
    folders = [FIRMWARE / folder for folder in ("kernel", "include", "modules", "user", "workloads")]
    found = [path for folder in folders for path in folder.rglob("*.[chS]")]
    files = [path for path in found if not {"arch", "build"} & set(path.relative_to(FIRMWARE).parts)]
    assert len(files) > 700
    return set(re.findall(r"\w+", "".join(map(source, files))))


def defined(text: str) -> Iterator[str]:
    """Functions, objects, macros and labels that a C header, a C file or an assembly file of a port defines for others."""
    yield from re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE)
    yield from re.findall(r"^SYM_FUNC_(?:START|RETURN)\((\w+)\)", text, re.MULTILINE)
    yield from re.findall(r"^\s*\.globl\s+(\w+)", text, re.MULTILINE)
    yield from (f"struct {name}" for name in re.findall(r"^struct (\w+) \{", text, re.MULTILINE))
    yield from re.findall(r"^typedef .*?(\w+);", text, re.MULTILINE)
    for static, name in re.findall(r"^(static )?(?:\w[\w \t*]*[\s*])(\w+)\([^;{}]*\)[\s\w]*\{", text, re.MULTILINE):
        if not static or "inline" in text[: text.index(f"{name}(")].rpartition("\n\n")[2]:
            yield name


def in_folder(folder: str, arch: str) -> set[str]:
    files = [path for path in (FIRMWARE / folder / arch).rglob("*") if path.suffix in (".c", ".h", ".S")]
    return {name for path in files for name in defined(source(path))}


@pytest.fixture(scope="module")
def words() -> set[str]:
    return generic_words()


@pytest.mark.parametrize("folder", ["arch", "user/arch", "workloads/arch", "modules/arch", "modules/race_lab/arch"])
def test_what_all_ports_define_and_the_rest_names_is_listed(folder: str, words: set[str]) -> None:
    common = set.intersection(*(in_folder(folder, arch) for arch in ARCHITECTURES))
    needed = {name for name in common if name.split()[-1] in words and not re.match("_+ASM_|_+UAPI_|ARCH_[A-Z]+_H$", name)}
    assert needed
    assert needed - NAMES - {"DISABLE_BRANCH_PROFILING", "ENOSYS"} == set()


@pytest.mark.parametrize("provided", PROVIDED)
def test_what_a_class_wants_of_ports_is_listed(provided: type) -> None:
    """Abstract methods, and values that have no default."""
    wanted = {*getattr(provided, "__abstractmethods__", ())}
    defaults = getattr(provided, "_field_defaults", {})
    for base in provided.__mro__:
        if base.__module__.startswith("emu."):
            annotated = vars(base).get("__annotations__", {})
            wanted |= {name for name in annotated if hasattr(base, "_fields") or not hasattr(base, name)}
    assert wanted
    assert {name for name in wanted - set(defaults) if f"{provided.__name__}.{name}" not in NAMES} == set()


MODULES = [
    "cpu/native/arch/ARCH", "ftrace/native/arch/ARCH", "ftrace/native/arch/ARCH_rethook", "ftrace/native/arch/ARCH_probe",
    "ftrace/native/arch/ARCH_uprobe", "ftrace/native/arch/ARCH_unwind", "ftrace/native/arch/ARCH_user",
]  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
def test_what_native_modules_export_is_listed(module: str) -> None:
    exported = []
    for arch in ARCHITECTURES:
        tree = ast.parse((ROOT / f"emu/{module}.py".replace("ARCH", arch)).read_text())
        (names,) = [
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ] or [["build"]]
        exported.append(set(names))
    role = module.replace("/arch/ARCH_", ".").replace("/arch/ARCH", "").replace("/", ".")
    needed = set.intersection(*exported) - {"RETURN_OFFSET"}  # FtraceArch.return_offset
    assert needed
    assert {name for name in needed if f"{role}.{name}" not in NAMES} == set()


def has(part: Part, arch: str) -> bool:
    """Whether a port has a part: the file, or its name in the file or one beside it."""
    path = ROOT / part.in_port(arch)
    name = part.name.removeprefix("asm/").removeprefix("sys_")
    if path.name == name:
        return path.is_file()
    if " " in name.removeprefix("struct ") or name in ("startup", "mcount"):  # what ports name as they like
        return path.parent.is_dir()
    folder, pattern = (path.parent, "*") if path.parent.name == arch else (path.parent, f"{path.stem.split('_')[0]}*")
    if not part.place.endswith(".py"):
        folder, pattern = ROOT / part.place.partition("ARCH")[0] / arch, "*"
    else:
        name = name.rpartition(".")[2]
    files = [file for file in folder.rglob(pattern) if file.suffix in (".py", ".c", ".h", ".S", ".mk")]
    return any(re.search(rf"\b{name}\b", file.read_text()) for file in files)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_port_has_each_part(arch: str) -> None:
    left_out = [part.name for part in parts() if part.optional and part.place.endswith(".py")]
    assert [part.name for part in parts() if not has(part, arch) and part.name not in left_out] == []


def test_names_are_unique_and_rungs_and_sections_exist() -> None:
    assert len(NAMES) == len(parts()) > 250
    headings = set(re.findall(r"^## (.*)$", DOCUMENT.read_text(), re.MULTILINE))
    assert {part.section for part in parts()} <= headings
    assert {part.rung for part in parts()} <= set(RUNGS)
    assert [part.name for part in parts() if not part.what or not part.what.endswith((".", ").", "..."))] == []
    with pytest.raises(ValueError, match="unknown rung 'top'"):
        parts("top")


def test_c_functions_have_their_prototypes() -> None:
    """Of the kernel's or a port's headers, unless all ports have macros or labels."""
    without = [part.name for part in parts() if part.place.endswith(".c") and part.name.isidentifier() and not part.declaration]
    assert without == ["sys_rt_sigreturn"]
    by_name = {part.name: part for part in parts()}
    assert by_name["setup_rt_frame"].declaration == "int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)"
    assert by_name["swapper_pg_dir"].declaration == "pgd_t swapper_pg_dir[PTRS_PER_TABLE]"
    assert by_name["CpuArch.repair"].declaration == "def repair(self) -> None"
    assert defined_functions("emu/port/seam.py")["parts"] == "def parts(rung: str | None=None) -> Sequence[Part]"


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_symbols_that_generic_objects_need_of_a_port_are_listed(arch: str) -> None:
    build = FIRMWARE / "build" / arch
    if not (build / "vmlinux").exists():
        pytest.skip("needs a built kernel")
    tool = FACTS[arch].compiler.removesuffix("gcc") + "nm"

    def symbols(*folders: str) -> tuple[set[str], set[str]]:
        objects = [str(path) for folder in folders for path in (build / folder).rglob("*.o")]
        lines = subprocess.run([tool, *objects], capture_output=True, text=True, check=True).stdout.splitlines()
        found = [line.split()[-2:] for line in lines if len(line.split()) > 1]
        return {name for kind, name in found if kind == "U"}, {name for kind, name in found if kind.isupper() and kind != "U"}

    undefined, _ = symbols("kernel")
    _, provided = symbols("arch")
    needed = undefined & provided
    assert len(needed) > 40
    assert needed - NAMES - OF_ONE.get(arch, set()) == set()


# What the rest of the kernel names on one architecture only: by another name, or because gcc or a macro asks for it.
OF_ONE = {
    "x86_64": {"__fentry__", "copy_user_generic", "secondary_startup_64", "sys_arch_prctl"},
    "sparc64": {"__clzdi2", "__ctzdi2", "_mcount", "arch_uprobe_begin", "sparc64_cpu_startup", "sys_rt_sigaction"},
    "riscv64": {
        "__atomic_exchange_1", "__atomic_fetch_add_2", "__clzdi2", "__ctzdi2", "arch_setup_additional_pages", "arch_vma_name",
        "copy_user_generic", "secondary_start", "sys_riscv_flush_icache",
    },
}
