# SPDX-License-Identifier: GPL-2.0-only
"""`--host-tree` as users use it: the host's programs under a tracer, and what is refused."""

from __future__ import annotations

import platform

import pytest

from emu.architectures import ARCHITECTURES
from tests.cli.conftest import Emu
from tests.lib.needs import needs

ARCH = platform.machine()


@needs("perl")
def test_a_program_of_the_host_is_traced_from_its_first_instruction_on(emu: Emu) -> None:
    options = ("--host-tree", "--timing", "static", "-p", "function_graph", "-F", "-g", "sys_write", "-g", "sys_mmap")
    done = emu("run", *options, "--", "perl", "-e", "print 1")
    assert (done.status, done.err.splitlines()[0]) == (0, "1")
    assert b"sys_mmap() {" in done.out and b"hostfs_mmap() {" in done.out and b"sys_write() {" in done.out


@pytest.mark.parametrize("arch", [arch for arch in ARCHITECTURES if arch != ARCH])
def test_another_architecture_has_no_host_tree(emu: Emu, arch: str) -> None:
    done = emu("run", "--arch", arch, "--host-tree", "--", "true")
    assert (done.status, done.out) == (2, b"")
    assert done.err == f"emu: the host's programs are for {ARCH}, and this guest is {arch}: no host tree\n"


def test_it_does_not_go_with_another_userland(emu: Emu) -> None:
    done = emu("run", "--host-tree", "--userland", "busybox", "--", "true")
    assert (done.status, done.err) == (2, "emu: the host's tree and another userland do not go together\n")
