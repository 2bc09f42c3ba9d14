# SPDX-License-Identifier: GPL-2.0-only
"""The peer of emu: Debian's Linux for x86-64 under QEMU, which executes the same programs on one CPU without KVM.

The programs are emu's own, from its initramfs: what differs is the kernel below them and the emulator below that.
"""

from __future__ import annotations

import ctypes
import re
import select
import shlex
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from emu.machine import image_directory

__all__ = ["ARCH", "NoPeer", "Peer", "fetch"]

ARCH = "x86_64"
PATIENCE = 120.0  # seconds to wait for an answer
ANSWER = re.compile(rb"^answer (\d+)\n", re.MULTILINE)
# Without mitigations of hardware bugs, and without the watchdog of the TSC: emu's kernel has neither.
COMMAND_LINE = "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable"


class NoPeer(Exception):
    """The peer is not available on this machine. The message is one line that says why."""


class Peer:
    """A booted Linux. In the tracing directory, busybox's shell executes the lines that it is sent. `name` has the versions."""

    def __init__(self, directory: Path | None, memory: int) -> None:
        """Boots it with `memory` bytes of memory; `directory` is where peer_qemu.sh puts and finds the peer's files.

        Raises:
            NoPeer: the script could not make it, or Linux did not boot.
        """
        files = fetch(directory)
        with tempfile.NamedTemporaryFile() as initramfs:
            for archive in (image_directory(ARCH) / "initramfs.cpio", files / "initramfs.cpio"):
                initramfs.write(archive.read_bytes())  # Linux unpacks concatenated archives one after the other
            initramfs.flush()
            command = _qemu(files, initramfs.name, memory)
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            self._clock = _processor_clock(self._process.pid)
            try:
                self._read_until(re.compile(rb"^booted\n", re.MULTILINE))
            except NoPeer:
                self.close()
                raise
        version = subprocess.run([files / "qemu", "--version"], check=True, capture_output=True, text=True).stdout
        self.name = f"Linux {self.run('uname -r').decode().strip()}, {version.splitlines()[0]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, line: str) -> bytes:
        """Executes a line, and returns its output. Its status must be 0."""
        return self._answer(f"{line}; echo answer $?")

    def processor_time(self, command: str) -> float:
        """QEMU's processor time in seconds for a command of emu's shell, from the start of the shell to its end. Tracing is on
        meanwhile."""
        traced = f"echo 1 > tracing_on; sh -c {shlex.quote(command)}; status=$?; echo 0 > tracing_on"
        self._send(f"echo ready; read go; {traced}; echo answer $status")
        self._read_until(re.compile(rb"^ready\n", re.MULTILINE))
        time.sleep(0.01)  # until Linux waits for the line that `read` reads
        start = time.clock_gettime(self._clock)
        self._answer("go")
        return time.clock_gettime(self._clock) - start

    def _answer(self, line: str) -> bytes:
        self._send(line)
        written, status = self._read_until(ANSWER)
        if status != b"0":
            raise RuntimeError(f"{line}: status {status.decode()} in the peer: {written.decode(errors='replace')}")
        return written

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")

    def _read_until(self, wanted: re.Pattern[bytes]) -> tuple[bytes, bytes]:
        """Reads up to the wanted text. Returns what came before it, and the text's last group or b"".

        Raises:
            NoPeer: the text does not come.
        """
        assert self._process.stdout is not None
        received, end = b"", time.monotonic() + PATIENCE
        while not (found := wanted.search(received)):
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))
            data = self._process.stdout.read(1 << 16) if ready else b""
            if not data:
                last = received.decode(errors="replace").strip().splitlines()[-1:]
                raise NoPeer(f"Linux under QEMU {'does not answer' if not ready else 'has ended'}: {''.join(last)}")
            received += data
        return received[: found.start()], (found.groups() or (b"",))[-1]


def fetch(directory: Path | None) -> Path:
    """The folder of the peer's files, which is made if it is missing: `qemu`, `vmlinuz`, `initramfs.cpio`.

    Raises:
        NoPeer: the script could not make it.
    """
    script = Path(__file__).with_name("peer_qemu.sh")
    made = subprocess.run([script, *filter(None, [directory])], capture_output=True, text=True)
    if made.returncode:
        raise NoPeer(made.stderr.rstrip().rpartition("\n")[2])
    return Path(made.stdout.strip())


def _qemu(files: Path, initramfs: str, memory: int) -> list[str]:
    """QEMU's command line: one CPU, translated in one thread, and no device but a serial port."""
    command = [str(files / "qemu"), "-accel", "tcg,thread=single", "-smp", "1", "-m", str(memory >> 20)]
    command += ["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio"]
    return [*command, "-kernel", str(files / "vmlinuz"), "-initrd", initramfs, "-append", COMMAND_LINE]


def _processor_clock(pid: int) -> int:
    """The clock that counts the processor time of a process, for time.clock_gettime."""
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise OSError(error, f"no clock of process {pid}")
    return clock.value
