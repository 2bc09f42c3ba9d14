# SPDX-License-Identifier: GPL-2.0-only
"""The kernel that is booted if the user names none, and the list of all."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from emu.linux.find import Found, NoKernel, find_kernel, kernels, version_order
from tests.cli.conftest import Emu, emu
from tests.lib.needs import needs
from tests.linux.made_kernels import bzimage, vmlinux

__all__ = ["emu"]

pytestmark = pytest.mark.usefixtures("cache", "boot")

NOTHING = "there is no Linux kernel: give a file with --linux=FILE, or run 'emu linux fetch'"


@pytest.fixture
def installed(boot: Path) -> Callable[..., Path]:
    def make(version: str, **facts: int) -> Path:
        path = boot / f"vmlinuz-{version}"
        path.write_bytes(bzimage(b"", version=f"{version} (a test)", **facts))
        return path

    return make


@pytest.fixture
def fetched(cache: Path) -> Callable[[str], Path]:
    def make(version: str) -> Path:
        path = cache / "linux" / "kernels" / version / "boot" / f"vmlinuz-{version}"
        path.parent.mkdir(parents=True)
        path.write_bytes(bzimage(b"", version=f"{version} (a test)"))
        return path

    return make


def test_a_file_is_taken_as_it_is(tmp_path: Path) -> None:
    assert find_kernel(str(tmp_path / "nothing")) == tmp_path / "nothing"


def test_the_newest_is_taken(installed: Callable[..., Path], fetched: Callable[[str], Path]) -> None:
    assert fetched("6.12.9") == find_kernel(None)
    newest = fetched("6.12.10")
    assert find_kernel(None) == newest
    old = installed("6.1.0-9")
    assert find_kernel(None) == old  # the host's own come first
    new = installed("6.1.0-56")
    installed("6.1.0-9.old")
    assert find_kernel(None) == new
    assert kernels()[0] == Found(new, "6.1.0-56", "installed")
    assert [found.version for found in kernels()] == ["6.1.0-56", "6.1.0-9.old", "6.1.0-9", "6.12.10", "6.12.9"]


def test_what_cannot_be_booted_is_not_found(installed: Callable[..., Path], boot: Path) -> None:
    installed("7.1", flags=0)  # 32 bits
    (boot / "vmlinuz-7.2").write_bytes(vmlinux(machine=183))
    (boot / "vmlinuz-7.3").write_text("no kernel")
    (boot / "vmlinuz-7.4").mkdir()
    (boot / "vmlinuz-7.5").symlink_to("nothing")
    with pytest.raises(NoKernel, match=NOTHING):
        find_kernel(None)


def test_a_kernel_that_only_root_can_read_is_named(installed: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = installed("6.8.0-51-generic")
    opened = Path.open

    def refuse(self: Path, mode: str = "r") -> IO[Any]:
        if self == path:
            raise PermissionError
        return opened(self, mode)

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    with pytest.raises(NoKernel, match=r"^there is no Linux kernel \(\S+-generic cannot be read\): give a file"):
        find_kernel(None)


@needs("sort")
def test_versions_are_sorted_as_sort_does() -> None:
    chance = random.Random(1)
    parts = ["6", "12", "09", "9", "0", ".", "-", "+", "~", "rc", "deb", "a", "Z", ".old", "-cloud"]
    texts = ["".join(chance.choices(parts, k=chance.randrange(1, 9))) for _ in range(3000)]
    texts = ["vmlinuz-" + text for text in dict.fromkeys(texts)]
    done = subprocess.run(["sort", "-V"], input="\n".join(texts), capture_output=True, text=True, env={"LC_ALL": "C"}, check=True)
    assert [version_order(text) for text in done.stdout.splitlines()] == sorted(map(version_order, texts))


def test_the_list(emu: Emu, installed: Callable[..., Path], fetched: Callable[[str], Path]) -> None:
    assert emu("linux", "list") == (2, b"", f"emu: {NOTHING}\n")
    paths = installed("6.1.0-9"), fetched("6.12.9-long")
    assert emu("linux", "list") == (0, "* 6.1.0-9      installed  {}\n  6.12.9-long  fetched    {}\n".format(*paths).encode(), "")
