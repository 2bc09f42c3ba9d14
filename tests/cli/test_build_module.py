# SPDX-License-Identifier: GPL-2.0-only
"""emu build-module: the user's modules are compiled, loaded and traced; the images stay as they are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from emu.installation import firmware_directory, image_directory
from emu.kernel.cpio import read_entries
from tests.cli.conftest import Emu
from tests.images import why_not
from tests.lib.arches import FACTS, OTHERS

HELLO = """
#include <linux/module.h>
#include <linux/printk.h>

static int greet(int times)
{
	printk("hello %d times\\n", times);
	return times;
}

static int __init hello_init(void)
{
	return greet(3) < 0;
}

static void __exit hello_exit(void)
{
	greet(0);
}
module_init(hello_init);
module_exit(hello_exit);
MODULE_LICENSE("GPL");
"""


@pytest.fixture(autouse=True)
def _needs_a_compiler(request: pytest.FixtureRequest) -> None:
    arch = request.getfixturevalue("arch") if "arch" in request.fixturenames else "x86_64"
    if missing := [name for name in ("make", FACTS[arch].compiler) if shutil.which(name) is None]:
        pytest.skip(f"needs {', '.join(missing)}")


def folder_with(folder: Path, **files: str) -> Path:
    """A folder of sources: the part of a name after the last underscore is its suffix."""
    folder.mkdir()
    for name, text in files.items():
        (folder / (".".join(name.rsplit("_", 1)) if "_" in name else name)).write_text(text)
    return folder


def test_a_module_is_built_loaded_and_traced_from_its_first_function_on(arch: str, emu: Emu, tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "hello", main_c=HELLO)
    before = (image_directory(arch) / "initramfs.cpio").stat()
    status, out, _ = emu("build-module", "--arch", arch, str(folder))
    assert (status, out.decode()) == (0, f"{folder}/hello.ko\n")
    assert (image_directory(arch) / "initramfs.cpio").stat() == before
    options = ("--arch", arch, "--share", f"{folder}:/m", "-p", "function", "-l", "*:mod:hello")
    status, out, err = emu("run", *options, "--", "insmod /m/hello.ko && rmmod hello && dmesg | grep hello")
    assert status == 0
    assert [line.rpartition(": ")[2].partition(" <-")[0] for line in out.decode().splitlines() if "[hello]" in line] == [
        "hello_init [hello]", "greet [hello]", "hello_exit [hello]", "greet [hello]",
    ]  # fmt: skip
    assert "hello 3 times" in err


def test_a_module_of_the_images_is_built_byte_for_byte(arch: str, emu: Emu, tmp_path: Path) -> None:
    if missing := why_not(arch):
        pytest.skip(f"needs {missing}")
    source = firmware_directory() / "modules/sample_timer"
    folder = Path(shutil.copytree(source, tmp_path / "sample_timer"))
    status, *_ = emu("build-module", "--arch", arch, "-o", str(tmp_path / "to"), str(folder))
    assert status == 0
    files = {entry.name: entry.data for entry in read_entries((image_directory(arch) / "initramfs.cpio").read_bytes())}
    assert (tmp_path / "to/sample_timer.ko").read_bytes() == files["lib/modules/sample_timer.ko"]


def test_a_makefile_as_linux_has_it_says_what_there_is_to_build(emu: Emu, tmp_path: Path) -> None:
    makefile = (
        "ifneq ($(KERNELRELEASE),)\nobj-m += one.o pair.o\npair-objs := first.o second.o\nccflags-y := -DTIMES=7\nelse\n"
        "default:\n\t$(MAKE) -C /lib/modules/`uname -r`/build M=$$PWD\nendif\n"
    )
    use = "#include <linux/module.h>\nint sample_exported(int);\n"
    folder = folder_with(
        tmp_path / "several", Makefile=makefile, one_c=HELLO, first_c=HELLO.replace("(3)", "(TIMES)"),
        second_c=f"{use}int other(void);\nint other(void) {{ return 1; }}\n",
    )  # fmt: skip
    status, out, _ = emu("build-module", str(folder))
    assert (status, out.decode().split()) == (0, [f"{folder}/one.ko", f"{folder}/pair.ko"])
    status, _, err = emu("run", "--share", f"{folder}:/m", "-p", "nop", "--", "insmod /m/pair.ko; insmod /m/one.ko; lsmod; dmesg")
    assert status == 0
    assert "hello 7 times" in err
    assert {"one", "pair"} <= {line.split()[0] for line in err.splitlines() if line}


def test_a_module_may_use_what_another_exports(emu: Emu, tmp_path: Path) -> None:
    declared = "int sample_sum_of_squares(int n);\n"
    text = HELLO.replace("static int greet", f"{declared}static int greet").replace("greet(3)", "greet(sample_sum_of_squares(3))")
    folder = folder_with(tmp_path / "user", main_c=text)
    assert emu("build-module", str(folder)).status == 0
    commands = "insmod /m/user.ko; insmod /lib/modules/sample_export.ko; insmod /m/user.ko; dmesg"
    _, _, err = emu("run", "--share", f"{folder}:/m", "-p", "nop", "--", commands)
    assert "user: Unknown symbol sample_sum_of_squares" in err
    assert "hello 14 times" in err


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"main_c": "int x = ;"}, "no module could be built of it"),
        ({"main_c": "void unexported(void);\nvoid f(void);\nvoid f(void) { unexported(); }"}, "no module could be built of it"),
        ({"notes_txt": ""}, "has no sources: a module is made of .c and .S files"),
    ],
)
def test_what_cannot_be_built_is_one_line_after_the_compilers(
    files: dict[str, str], said: str, emu: Emu, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path / "bad", **files)
    status, out, err = emu("build-module", str(folder))
    assert (status, out) == (2, b"")
    assert err.splitlines()[-1].startswith(f"emu: {folder}") and err.rstrip().endswith(said)
    assert not list(folder.glob("*.ko"))


def test_a_missing_compiler_is_named_with_its_package(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "hello", main_c=HELLO)
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    assert emu("build-module", str(folder)).err == "emu: building a module needs make (on Debian: apt-get install make)\n"
    os.symlink("/usr/bin/make", programs / "make")
    others = [(arch, f"{arch}-linux-gnu-gcc", f"gcc-{arch}-linux-gnu") for arch in OTHERS]
    for arch, compiler, package in [("x86_64", "gcc", "gcc"), *others]:
        _, _, err = emu("build-module", "--arch", arch, str(folder))
        assert err == f"emu: building a module for {arch} needs {compiler} (on Debian: apt-get install {package})\n"


@pytest.mark.parametrize(("name", "said"), [("missing", "is no folder"), ("a b", "make cannot work with the name")])
def test_a_folder_that_is_none_is_one_line(name: str, said: str, emu: Emu, tmp_path: Path) -> None:
    folder_with(tmp_path / "a b", main_c=HELLO)
    status, _, err = emu("build-module", str(tmp_path / name))
    assert (status, err.count("\n")) == (2, 1)
    assert said in err
