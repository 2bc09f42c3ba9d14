# SPDX-License-Identifier: GPL-2.0-only
"""A package installed from a wheel runs outside the source tree, with the wheel's images. pip gets its dependencies
from the registry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES
from emu.native.cache import cache_directory
from tests.lib.arches import OTHERS
from tests.lib.needs import needs

ROOT = Path(__file__).resolve().parent.parent
TRACE = ("run", "-p", "function", "--", "ls /bin | wc -l")


def run(directory: Path, *command: str | Path) -> bytes:
    """The standard output of a command. It finds the same compiled code as this process, and nothing else of it."""
    environment = {"HOME": str(directory), "PATH": os.environ["PATH"], "EMU_CACHE_DIR": str(cache_directory())}
    done = subprocess.run(command, cwd=directory, env=environment, stdout=subprocess.PIPE, check=True)
    return done.stdout


def build(kind: str, source: Path, directory: Path) -> Path:
    """A package, built with the hatchling installed here."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", directory], cwd=source, check=True)
    (package,) = directory.iterdir()
    return package


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment that contains only the wheel and its dependencies."""
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", environment / "bin" / "python")
    subprocess.run([*pip, "install", "--no-compile", "-c", ROOT / "requirements.lock", wheel], cwd=environment, check=True)
    return environment / "bin"


def test_the_wheel_has_the_program_its_images_and_its_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    sources = {str(path.relative_to(ROOT)) for path in ROOT.glob("emu/**/*.py")}
    images = {f"emu/images/{arch}/{name}" for arch in ARCHITECTURES for name in ("vmlinux", "initramfs.cpio", "SOURCES")}
    images |= {"emu/images/x86_64/linux-init"}
    scenarios = {str(path.relative_to(ROOT)) for path in ROOT.glob("emu/race/corpus/*")}
    texts = {str(path.relative_to(ROOT)) for path in ROOT.glob("emu/**/*.txt")}
    of_pages = {str(path.relative_to(ROOT)) for kind in ("js", "css", "html") for path in ROOT.glob(f"emu/trace/**/*.{kind}")}
    of_gdb = {str(path.relative_to(ROOT)) for path in ROOT.glob("emu/gdb/*.gdb")}
    port = {str(path.relative_to(ROOT)) for path in ROOT.glob("emu/port/**/*") if path.suffix in (".toml", ".in")}
    firmware = [*ROOT.glob("firmware/include/**/*.h"), *ROOT.glob("firmware/arch/*/include/**/*.h")]
    headers = {f"emu/{path.relative_to(ROOT)}" for path in firmware}
    rules = {f"emu/firmware/{name}" for name in ("compile.mk", "module.mk", "modules/module.lds", "tools/modpost.py")}
    rules |= {f"emu/firmware/arch/{arch}/{name}" for arch in ARCHITECTURES for name in ("Makefile", "asm-offsets.c.in")}
    rules |= {f"emu/firmware/arch/{name}/recordmcount.py" for name in OTHERS}
    parts = (sources, images, scenarios, texts, of_pages, of_gdb, port, headers, rules)
    assert all(part and part <= names for part in parts)
    others = {re.sub(r"emu-[\d.]*\.dist-info", "", name) for name in names.difference(*parts)}
    assert others == {"/METADATA", "/WHEEL", "/RECORD", "/entry_points.txt", "/licenses/COPYING"}
    assert "License-Expression: GPL-2.0-only\n" in metadata
    assert metadata.endswith((ROOT / "README.md").read_text())


def test_the_source_package_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    source = build("sdist", ROOT, tmp_path / "source")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path / "wheel", source], check=True)
    assert (tmp_path / "wheel" / wheel.name).read_bytes() == wheel.read_bytes()


def test_an_installed_emu_prints_the_same_trace(arch: str, programs: Path, tmp_path: Path) -> None:
    here = run(ROOT, sys.executable, "-m", "emu", *TRACE[:1], "--arch", arch, *TRACE[1:])
    installed = run(tmp_path, programs / "emu", *TRACE[:1], "--arch", arch, *TRACE[1:])
    assert installed == here
    assert installed.count(b"\n") > 1000


@needs("make", "gcc")
def test_an_installed_emu_builds_modules(programs: Path, tmp_path: Path) -> None:
    text = "#include <linux/module.h>\nstatic int __init begin(void) { return 0; }\nmodule_init(begin);\n"
    (tmp_path / "small").mkdir()
    (tmp_path / "small/main.c").write_text(f'{text}MODULE_LICENSE("GPL");\n')
    assert run(tmp_path, programs / "emu", "build-module", "small") == f"{tmp_path}/small/small.ko\n".encode()
    assert run(tmp_path, programs / "emu", "run", "--share", "small", "--", "insmod /mnt/small/small.ko") == b""


def test_an_installed_emu_uses_its_own_images(programs: Path, tmp_path: Path) -> None:
    program = f"from emu.machine import image_directory; print(*map(image_directory, {ARCHITECTURES}))"
    images = run(tmp_path, programs / "python", "-c", program).decode().split()
    assert len(images) == len(ARCHITECTURES)
    assert all(Path(path).is_relative_to(programs.parent) for path in images)
