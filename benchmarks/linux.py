# SPDX-License-Identifier: GPL-2.0-only
"""What an unmodified Linux costs on the host in processor time: on emu and on QEMU's TCG, the same kernel, programs and commands.

    ./venv python benchmarks/linux.py [--kernel VMLINUZ] [--rounds N] [--peer DIR] [CASE]...

Each run is a whole process, which boots a machine, executes one command and ends. The systems take turns. What a command costs is
the difference to a run that only executes `true`, on as many CPUs. QEMU runs all CPUs in one thread, as emu does; once with the
host's clock, and once with a clock that counts instructions (-icount), as emu's does. The kernel is Debian's unless one is named;
benchmarks/peer_qemu.sh fetches it, and QEMU, into DIR. CASE is a part of a case's name.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import stat
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import peer

from emu.kernel.arch import load
from emu.kernel.userland import BadUserland, find_busybox
from emu.linux.root import base, tree_of
from emu.linux.tree import Node, Tree

ROUNDS = 3
MEMORY = 512  # MiB
PARAMETERS = "quiet panic=-1 mitigations=off norandmaps tsc=reliable"
NOTHING = "true"
APPLETS = ("sh", "true", "dd", "head")
HACKBENCH = "hackbench"
STATUS = re.compile(rb"\nstatus (\d+)\n")
# /.emu/init for QEMU. Setting a terminal's modes waits until it has sent what was written.
INIT = """\
#!/.emu/busybox sh
/.emu/busybox mount -t devtmpfs none /dev
/.emu/busybox mount -t proc none /proc
/.emu/busybox mount -t sysfs none /sys
exec </dev/ttyS0 >/dev/ttyS0 2>&1
/.emu/busybox stty raw -echo
PATH=/bin sh -c {}
printf '\\nstatus %d\\n' $?
/.emu/busybox stty raw
/.emu/busybox poweroff -f
"""


class Case(NamedTuple):
    """A command for a shell, and on how many CPUs it runs. What `true` takes is the boot, and is counted."""

    command: str
    cpus: int = 1


CASES = {
    "boot to the first command, 1 CPU": Case(NOTHING),
    "boot to the first command, 2 CPUs": Case(NOTHING, 2),
    "dd, 200,000 blocks of 4 KiB": Case("dd if=/dev/zero of=/dev/null bs=4k count=200000 2>/dev/null"),
    "300 times fork, exec, exit": Case("i=0; while [ $i -lt 300 ]; do /bin/busybox true; i=$((i+1)); done"),
    "hackbench, 2 groups, 2 CPUs": Case(f"{HACKBENCH} -g 2 -l 100", 2),
    "10 MB of output": Case("head -c 10000000 /dev/zero"),
}


class Failed(Exception):
    """A system cannot run a command. The message is one line that says why."""


class Files(NamedTuple):
    """What all systems run. `root` is an archive, whose /bin has busybox and hackbench."""

    qemu: Path
    kernel: Path
    busybox: Path
    root: Path


class System(Protocol):
    """A machine with some CPUs, which boots for each command."""

    name: str

    def run(self, command: str) -> float:
        """Seconds of processor time of the whole process.

        Raises:
            Failed: the command failed, or there was no machine.
        """


class Emu:
    """emu's command line, as a user types it."""

    name = "emu"

    def __init__(self, files: Files, cpus: int) -> None:
        self._command = [
            sys.executable, "-m", "emu", "run", f"--linux={files.kernel}", "--rootfs", str(files.root), "--cpus", str(cpus),
            "--memory", f"{MEMORY}M", "--fresh", "--append", PARAMETERS, "--",
        ]  # fmt: skip

    def run(self, command: str) -> float:
        return _processor_time([*self._command, command], subprocess.DEVNULL)


class Qemu:
    """QEMU without KVM, and with as few devices as it can have. An init of its own runs the command."""

    def __init__(self, files: Files, cpus: int, name: str, options: Sequence[str] = ()) -> None:
        self.name = name
        self._files = files
        self._command = [
            str(files.qemu), "-accel", "tcg,thread=single", "-cpu", "Haswell,-avx,-avx2,-hle,-rtm", "-smp", str(cpus),
            "-m", str(MEMORY), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio",
            "-kernel", str(files.kernel), "-append", f"console=ttyS0 rdinit=/.emu/init {PARAMETERS}", *options,
        ]  # fmt: skip

    def run(self, command: str) -> float:
        init = INIT.format(shlex.quote(command)).encode()
        with tempfile.NamedTemporaryFile() as initramfs, tempfile.TemporaryFile() as output:
            initramfs.write(base(init, self._files.busybox.read_bytes()) + tree_of(self._files.root))
            initramfs.flush()
            seconds = _processor_time([*self._command, "-initrd", initramfs.name], output.fileno())
            output.seek(0)
            found = STATUS.findall(output.read())
        if found[-1:] != [b"0"]:
            raise Failed(f"{self.name}: {command}: " + (f"status {found[-1].decode()}" if found else "the guest did not end"))
        return seconds


def _processor_time(command: list[str], output: int) -> float:
    """Seconds of processor time of a process, and of the processes that it has waited for."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise Failed(f"{' '.join(command[:4])} ...: status {process.returncode}: {''.join(last)}")
    return used.ru_utime + used.ru_stime


def root_of(busybox: Path, programs: Iterable[Path]) -> bytes:
    """An archive with busybox and programs of the host, with their libraries."""
    tree = Tree()
    executable = stat.S_IFREG | 0o755
    tree.put(b"bin/busybox", Node(executable, data=busybox.read_bytes()))
    for name in APPLETS:
        tree.put(f"bin/{name}".encode(), Node(stat.S_IFLNK | 0o777, data=b"busybox"))
    for program in programs:
        tree.put(f"bin/{program.name}".encode(), Node(executable, data=program.read_bytes()))
        needed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
        for library in re.findall(r"(/\S+) \(0x", needed):
            tree.put(library.encode(), Node(executable, data=Path(library).read_bytes()))
    return tree.pack()


def systems(files: Files, cpus: int) -> list[System]:
    return [
        Emu(files, cpus),
        Qemu(files, cpus, "QEMU"),
        Qemu(files, cpus, "QEMU -icount", ("-icount", "shift=0,sleep=off")),
    ]


def available(files: Files) -> list[str]:
    """The names of the systems that boot. Of the others it prints why they do not."""
    names = []
    for system in systems(files, 1):
        try:
            system.run(NOTHING)
            names.append(system.name)
        except Failed as why:
            print(f"not measured: {why}")
    return names


def measure(files: Files, names: Sequence[str], cases: Sequence[Case], rounds: int) -> dict[tuple[str, Case], list[float]]:
    """Seconds of whole processes, by system and case."""
    taken: dict[tuple[str, Case], list[float]] = {}
    for _ in range(rounds):
        for case in cases:
            for system in systems(files, case.cpus):
                if system.name in names:
                    taken.setdefault((system.name, case), []).append(system.run(case.command))
    return taken


def table(taken: dict[tuple[str, Case], list[float]], names: Sequence[str], chosen: Iterable[str]) -> None:
    print(f"{'seconds of processor time':34}" + "".join(f"{name:>14}{'median':>8}" for name in names), end="")
    peers = [name for name in names if name != Emu.name] if Emu.name in names else []
    print("".join(f"{f'{Emu.name} / {name}':>20}" for name in peers))
    for title in chosen:
        case = CASES[title]
        least, median = {}, {}
        for name in names:
            boot = [0.0] if case.command == NOTHING else taken[name, Case(NOTHING, case.cpus)]
            least[name] = min(taken[name, case]) - min(boot)
            median[name] = statistics.median(taken[name, case]) - statistics.median(boot)
        print(f"{title:34}" + "".join(f"{least[name]:14.2f}{median[name]:8.2f}" for name in names), end="")
        print("".join(f"{least[Emu.name] / least[name]:20.2f}" for name in peers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, metavar="VMLINUZ", help="default: Debian's")
    parser.add_argument("--peer", type=Path, metavar="DIR", help="the folder of QEMU and of Debian's kernel")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="parts of the names of cases; default: all")
    arguments = parser.parse_intermixed_args()
    hackbench = shutil.which(HACKBENCH)
    chosen = [title for title in CASES if not arguments.cases or any(part in title for part in arguments.cases)]
    if hackbench is None:
        print(f"no {HACKBENCH}: install Debian's package rt-tests")
        chosen = [title for title in chosen if HACKBENCH not in title]
    try:
        directory = peer.fetch(arguments.peer)
        busybox = find_busybox(peer.ARCH, load(peer.ARCH).elf_machine)
    except (peer.NoPeer, BadUserland) as why:
        parser.exit(1, f"{why}\n")
    with tempfile.NamedTemporaryFile() as root:
        root.write(root_of(busybox, [Path(hackbench)] if hackbench else []))
        root.flush()
        kernel = (arguments.kernel or directory / "vmlinuz").resolve()
        files = Files(directory / "qemu", kernel, busybox, Path(root.name))
        names = available(files)
        measured = [CASES[title] for title in chosen]
        boots = [Case(NOTHING, cpus) for cpus in sorted({case.cpus for case in measured})]
        taken = measure(files, names, [*boots, *(case for case in measured if case not in boots)], arguments.rounds)
    version = subprocess.run([directory / "qemu", "--version"], check=True, capture_output=True, text=True).stdout
    print(f"{kernel}, {version.splitlines()[0]}; {arguments.rounds} rounds, {MEMORY} MiB")
    table(taken, names, chosen)


if __name__ == "__main__":
    main()
