# SPDX-License-Identifier: GPL-2.0-only
"""Loadable modules: loading, using and unloading them, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine

MODULES = "/lib/modules"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2) as made:
        yield made


def output(machine: Machine, command: str) -> str:
    """What a command that must succeed prints, without the kernel's times."""
    done = machine.run(command)
    assert done.status == 0, done.output
    return messages(done.output)


def messages(text: bytes) -> str:
    return re.sub(r"^\[ *[\d.]+\] ", "", text.decode(), flags=re.MULTILINE)


def test_a_module_runs_and_stops(machine: Machine) -> None:
    assert output(machine, f"insmod {MODULES}/sample_timer.ko period=2; usleep 10500") == ""
    beats = re.fullmatch(r"sample_timer: (\d+) beats\n", output(machine, "rmmod sample_timer"))
    assert beats is not None and 8 <= int(beats[1]) <= 16
    assert machine.warnings == []


def test_its_memory_is_used_again(machine: Machine) -> None:
    """Other code lies where this one's was: no CPU may go on with what it knew."""
    load = f"insmod {MODULES}/sample_timer.ko period=2; usleep 3000; rmmod sample_timer"
    for _ in range(3):
        assert "beats" in output(machine, load)
        assert output(machine, f"insmod {MODULES}/sample_export.ko; insmod {MODULES}/sample_use.ko count=3") == (
            "sample_use: the sum is 14\n"
        )
        output(machine, "rmmod sample_use sample_export")
    assert not list(machine.kernel.modules)


def test_parameters(machine: Machine) -> None:
    output(machine, f"insmod {MODULES}/sample_export.ko")
    use = f"insmod {MODULES}/sample_use.ko"
    said = output(machine, f"{use} count=0x4 'greeting=\"it is\"' none=1; rmmod sample_use; {use} quiet; rmmod sample_use")
    assert said == "sample_use: unknown parameter 'none' ignored\nsample_use: it is 30\n"
    for wrong in ("count=x", "count=99999999999", "quiet=perhaps", "count"):
        done = machine.run(f"{use} {wrong}")
        assert done.status == 1
        value = wrong.partition("=")[2]
        assert f"sample_use: `{value}' invalid for parameter `{wrong.partition('=')[0]}'\n" in messages(done.output)


def test_an_init_that_fails_leaves_nothing(machine: Machine) -> None:
    done = machine.run(f"insmod {MODULES}/sample_fail.ko")
    assert (done.status, messages(done.output)) == (
        1,
        "sample_fail: there is no such device\n"
        f"insmod: ERROR: could not insert module {MODULES}/sample_fail.ko: No such device\n",
    )
    assert b"Device or resource busy" in machine.run(f"insmod {MODULES}/sample_fail.ko error=-16").output
    assert not list(machine.kernel.modules)
    assert not [name for name in machine.tracefs.read("available_filter_functions").splitlines() if "[" in name]


def test_a_module_that_others_use_stays(machine: Machine) -> None:
    done = machine.run(f"insmod {MODULES}/sample_use.ko")
    assert (done.status, messages(done.output)) == (
        1,
        "sample_use: Unknown symbol sample_sum_of_squares (err -2)\n"
        f"insmod: ERROR: could not insert module {MODULES}/sample_use.ko: Unknown symbol in module\n",
    )
    assert output(machine, "modprobe sample-use quiet; modprobe sample_use") == ""
    assert [module.name for module in machine.kernel.modules] == ["sample_export", "sample_use"]
    assert machine.run("rmmod sample_export").status == 1
    assert machine.run(f"insmod {MODULES}/sample_export.ko").output.endswith(b"sample_export.ko: File exists\n")
    output(machine, "modprobe -r sample_use")
    assert not list(machine.kernel.modules)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("insmod /init", "insmod: ERROR: could not insert module /init: Invalid module format"),
        ("insmod /nowhere", "insmod: ERROR: could not load module /nowhere: No such file or directory"),
        ("insmod", "insmod: ERROR: missing filename."),
        ("modprobe nothing", f"modprobe: FATAL: Module nothing not found in directory {MODULES}/6.1.0-emu"),
        (f"insmod {MODULES}/sample_timer.ko period=0", "sample_timer.ko: Invalid parameters"),
        (f"insmod {MODULES}/sample_timer.ko load_only", "sample_timer.ko: Operation canceled"),
    ],
)
def test_what_cannot_be_loaded(machine: Machine, command: str, complaint: str) -> None:
    done = machine.run(command)
    assert done.status == 1
    assert messages(done.output).splitlines()[-1].endswith(complaint)
    assert not list(machine.kernel.modules)
