# SPDX-License-Identifier: GPL-2.0-only
"""KernelShark opens recordings: its library reads the same values as the columns have, and its window shows them."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest

from emu.trace import Trace
from tests.cli.conftest import Emu

COMMAND = ("-p", "function_graph", "-e", "sched", "--", "ls /bin | wc -l")


class KsharkEntry(ctypes.Structure):
    """libkshark.h: struct kshark_entry."""

    _fields_ = (
        ("next", ctypes.c_void_p), ("visible", ctypes.c_uint16), ("stream_id", ctypes.c_int16), ("event_id", ctypes.c_int16),
        ("cpu", ctypes.c_int16), ("pid", ctypes.c_int32), ("offset", ctypes.c_int64), ("ts", ctypes.c_int64),
    )  # fmt: skip


class Kshark:
    """KernelShark's library with one file open."""

    def __init__(self, file: Path) -> None:
        name = find_library("kshark")
        if name is None:
            pytest.skip("needs the package kernelshark")
        self._library = library = ctypes.CDLL(name)
        for function in (library.kshark_get_event_name, library.kshark_get_task):
            function.argtypes = [ctypes.POINTER(KsharkEntry)]
            function.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p()
        assert library.kshark_instance(ctypes.byref(self._context))
        self._stream = library.kshark_open(self._context, os.fsencode(file))
        assert self._stream >= 0

    def entries(self) -> list[tuple[int, int, int, str, str]]:
        """Time, CPU, pid, event and task of each event."""
        rows = ctypes.POINTER(ctypes.POINTER(KsharkEntry))()
        self._library.kshark_load_entries.restype = ctypes.c_ssize_t
        count = self._library.kshark_load_entries(self._context, self._stream, ctypes.byref(rows))
        return [
            (
                entry.contents.ts, entry.contents.cpu, entry.contents.pid,
                str(ctypes.string_at(self._library.kshark_get_event_name(entry)), "ascii"),
                str(ctypes.string_at(self._library.kshark_get_task(entry)), "ascii"),
            )
            for entry in rows[:count]
        ]  # fmt: skip

    def close(self) -> None:
        self._library.kshark_close(self._context, self._stream)


@pytest.fixture
def recording(arch: str, tmp_path: Path, emu: Emu) -> Path:
    file = tmp_path / "trace.dat"
    assert emu("record", "--arch", arch, "-o", str(file), *COMMAND).status == 0
    return file


def test_its_library_reads_what_columns_have(recording: Path) -> None:
    trace = Trace.open(recording)
    kshark = Kshark(recording)
    read = kshark.entries()
    kshark.close()
    expected = [
        (*row, path.replace(":", "/"), trace.tasks.name_of(row[2]) if row[2] else "<idle>")
        for path, table in trace.events.items()
        for row in zip(*(table[f"common_{name}"].tolist() for name in ("time", "cpu", "pid")), strict=True)
    ]
    assert sorted(read) == sorted(expected)


@pytest.mark.skipif(
    not all(map(shutil.which, ("kernelshark", "Xvfb", "import"))), reason="needs the packages kernelshark, xvfb and imagemagick"
)
def test_its_window_shows_a_recording(recording: Path) -> None:
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24"]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(command, stdout=subprocess.PIPE) as screen:
        try:
            assert screen.stdout
            display = f":{screen.stdout.readline().decode().strip()}"
            file = shutil.copy(recording, folder)
            os.chmod(folder, 0o777)
            environment = {**os.environ, "DISPLAY": display, "HOME": folder, "XDG_RUNTIME_DIR": folder}
            user = "nobody" if os.getuid() == 0 else None  # it asks root for confirmation
            with subprocess.Popen(["kernelshark", file], env=environment, user=user, stderr=subprocess.DEVNULL) as window:
                try:
                    assert any(_coloured(environment) > 1000 for _ in range(40))
                finally:
                    window.kill()
        finally:
            screen.kill()


def _coloured(environment: dict[str, str]) -> int:
    """The number of pixels on the screen with a strong colour other than green: the bars of tasks, and nothing else."""
    time.sleep(0.25)
    command = ["import", "-window", "root", "-depth", "8", "rgb:-"]
    picture = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=10).stdout
    pixels = np.frombuffer(picture, np.uint8).reshape(-1, 3).astype(int)
    strong = pixels.max(axis=1) - pixels.min(axis=1) > 120
    return int(np.count_nonzero(strong & (pixels.argmax(axis=1) != 1)))
