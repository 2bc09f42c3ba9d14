# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks run; the one whose peer must be downloaded also runs without it, and says what is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
MISSING = "peer_qemu.sh: cannot download the package linux-image-6.1 ('apt-get update' may help)\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which apt knows of a kernel, but cannot download it."""
    (tmp_path / "bin").mkdir()
    for name, script in (("apt-cache", "echo '  Depends: linux-image-6.1'"), ("apt-get", "exit 100")):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Another checkout: its `.venv` has this one's emu."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return tmp_path


def test_a_package_that_cannot_be_had_is_named_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run([BENCHMARKS / "peer_qemu.sh", tmp_path / "peer"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines(keepends=True)[1:] == [MISSING]  # the first line says what is measured
    assert os.listdir(tmp_path) == ["bin"]


def test_a_folder_of_something_else_is_left_alone(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run([BENCHMARKS / "peer_qemu.sh", tmp_path], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"peer_qemu.sh: {tmp_path} is there, and is not what this program made\n"
    assert os.listdir(tmp_path) == ["bin"]


def test_workloads_are_measured_without_a_peer(environment: dict[str, str], tmp_path: Path) -> None:
    program = [sys.executable, BENCHMARKS / "workloads.py"]
    arguments = ["--peer", tmp_path / "peer", "--rounds", "1", "hackbench"]
    done = subprocess.run([*program, *arguments], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"no peer, so no ratios: {MISSING}")
    assert "/ Linux" not in done.stdout
    assert re.findall(r"^(\w+) +emu$", done.stdout, re.MULTILINE) == list(ARCHITECTURES)
    rows = re.findall(r"^(?:hackbench)? +([a-z_]+) +\d+ +[\d.]+ +(\d+) +-?\d+ +\d+$", done.stdout, re.MULTILINE)
    assert [tracer for tracer, _ in rows] == ["nop", "function", "function_graph"] * len(ARCHITECTURES)
    assert all((int(functions) > 10_000) == (tracer != "nop") for tracer, functions in rows)


def test_linux_is_not_measured_without_a_kernel(environment: dict[str, str], tmp_path: Path) -> None:
    program = [sys.executable, BENCHMARKS / "linux.py", "--peer", tmp_path / "peer", "boot"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, MISSING)


def test_workloads_are_measured_against_another_checkout(checkout: Path) -> None:
    program = [sys.executable, BENCHMARKS / "workloads.py"]
    done = subprocess.run([*program, "--against", checkout, "--rounds", "1", "hackbench"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    rows = re.findall(r"^(\w+) +hackbench +\d+ +\d+ +([\d.]+) +\d+ +\d+ +([\d.]+)$", done.stdout, re.MULTILINE)
    assert [arch for arch, _, _ in rows] == list(ARCHITECTURES)
    # The instructions are the same, so less time means a higher speed.
    assert all(float(times) * float(speeds) == pytest.approx(1, abs=0.05) for _, times, speeds in rows)


def test_text_is_that_of_a_renderer_which_formats_one_event_after_another() -> None:
    done = subprocess.run([sys.executable, BENCHMARKS / "render.py", "1000"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^(function|function_graph) ", done.stdout, re.MULTILINE) == ["function", "function_graph"]


def test_the_race_lab_is_measured_without_spin(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, BENCHMARKS / "race.py", "spin"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "no peer, so no ratios: spin is not installed (on Debian: apt-get install spin)\n"


def test_each_kind_of_work_is_measured_against_another_checkout(checkout: Path) -> None:
    program = [sys.executable, BENCHMARKS / "against.py", "--rounds", "3", checkout, "calls", "hackbench, pipeline"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    figures = {line[:36].strip(): [float(one) for one in line[36:].split()] for line in done.stdout.splitlines()[1:]}
    assert {name: len(found) for name, found in figures.items()} == {"calls": 6, "hackbench, pipeline": 3}  # timing: one arch
    assert all(found[0] / found[1] == pytest.approx(found[2], rel=0.01) for found in figures.values())
