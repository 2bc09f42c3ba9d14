# SPDX-License-Identifier: GPL-2.0-only
"""What an unmodified Linux costs on the host in processor time: on emu and on QEMU's TCG, the same kernel, programs and commands.

    ./venv python benchmarks/linux.py [--kernel VMLINUZ] [--rounds N] [--peer DIR] [CASE]...

Each run is a whole process, which boots a machine, executes one command and ends. The systems take turns. What a command costs is
the difference to a run that only executes `true`, on as many CPUs. QEMU runs all CPUs in one thread, as emu does; once with the
host's clock, and once with a clock that counts instructions (-icount), as emu's does; QEMU 7.2 does not start a second CPU then.
The kernel is Debian's unless one is named; benchmarks/peer_qemu.sh fetches it, and QEMU, into DIR. CASE selects the cases whose
names contain it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import stat
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
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
MOST_SECONDS = 60  # of processor time, for a boot; ten times as many for a command
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
    "dd, 1,000,000 blocks of 4 KiB": Case("dd if=/dev/zero of=/dev/null bs=4k count=1000000 2>/dev/null"),
    "1,500 times fork, exec, exit": Case("i=0; while [ $i -lt 1500 ]; do /bin/busybox true; i=$((i+1)); done"),
    "hackbench, 2 groups, 1 CPU": Case(f"{HACKBENCH} -g 2 -l 400"),
    "hackbench, 2 groups, 2 CPUs": Case(f"{HACKBENCH} -g 2 -l 400", 2),
    "10 MB of output": Case("head -c 10000000 /dev/zero"),
}


Taken = dict[tuple[str, Case], list[float]]  # seconds of whole processes, by the system's name


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
        return _processor_time([*self._command, command], subprocess.DEVNULL, _limit(command))


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
        return self._taken(command)[0]

    def output(self, command: str) -> bytes:
        """What a command writes, among what the kernel does. Raises Failed, as `run`."""
        return self._taken(command)[1]

    def _taken(self, command: str) -> tuple[float, bytes]:
        init = INIT.format(shlex.quote(command)).encode()
        with tempfile.NamedTemporaryFile() as initramfs, tempfile.TemporaryFile() as output:
            initramfs.write(base(init, self._files.busybox.read_bytes()) + tree_of(self._files.root))
            initramfs.flush()
            seconds = _processor_time([*self._command, "-initrd", initramfs.name], output.fileno(), _limit(command))
            output.seek(0)
            text = output.read()
            found = STATUS.findall(text)
        if found[-1:] != [b"0"]:
            raise Failed(f"{command}: status {found[-1].decode()}" if found else f"{command}: the guest did not tell its status")
        return seconds, text


def _limit(command: str) -> int:
    return MOST_SECONDS if command == NOTHING else 10 * MOST_SECONDS


def _processor_time(command: list[str], output: int, most: int) -> float:
    """Seconds of processor time of a process, and of the processes that it has waited for; after `most` it is ended."""
    with tempfile.TemporaryFile() as errors:
        limited = ["prlimit", f"--cpu={most}", *command]
        process = subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            raise Failed(f"it had not ended after {most} s of processor time")
        if process.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise Failed(f"status {process.returncode}: {''.join(last)}")
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


def available(files: Files, cpus: int) -> list[System]:
    """The systems that boot. Of the others it prints why they do not."""
    found = []
    for system in systems(files, cpus):
        try:
            system.run(NOTHING)
            found.append(system)
        except Failed as why:
            print(f"{system.name} is not measured with {cpus} CPUs: {why}", flush=True)
    return found


def measure(files: Files, cases: Sequence[Case], rounds: int) -> Taken:
    """Runs each case in each round, and before them what they need as a baseline."""
    machines = {cpus: available(files, cpus) for cpus in sorted({case.cpus for case in cases})}
    boots = [Case(NOTHING, cpus) for cpus in machines]
    taken: Taken = {}
    for _ in range(rounds):
        for case in (*boots, *(case for case in cases if case not in boots)):
            for system in machines[case.cpus]:
                taken.setdefault((system.name, case), []).append(system.run(case.command))
    return taken


def cost(taken: Taken, name: str, case: Case, kind: Callable[[list[float]], float]) -> float | None:
    """Seconds that a case takes on a system, without the boot; None if the system does not run it."""
    if (name, case) not in taken:
        return None
    return kind(taken[name, case]) - (0 if case.command == NOTHING else kind(taken[name, Case(NOTHING, case.cpus)]))


def table(taken: Taken, chosen: Iterable[str]) -> None:
    names = list(dict.fromkeys(name for name, _ in taken))
    peers = [name for name in names if name != Emu.name] if Emu.name in names else []
    print(f"{'seconds of processor time':34}" + "".join(f"{name:>14}{'median':>8}" for name in names), end="")
    print("".join(f"{f'{Emu.name} / {name}':>20}" for name in peers))
    for title in chosen:
        print(f"{title:34}", end="")
        least = {name: cost(taken, name, CASES[title], min) for name in names}
        for name, seconds in least.items():
            print(_column(seconds, 14) + _column(cost(taken, name, CASES[title], statistics.median), 8), end="")
        for name in peers:
            ours, theirs = least[Emu.name], least[name]
            print(_column(ours / theirs if ours is not None and theirs is not None else None, 20), end="")
        print()


def _column(number: float | None, width: int) -> str:
    return f"{'-':>{width}}" if number is None else f"{number:{width}.2f}"


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
        taken = measure(files, [CASES[title] for title in chosen], arguments.rounds)
    version = subprocess.run([directory / "qemu", "--version"], check=True, capture_output=True, text=True).stdout
    print(f"{kernel}, {version.splitlines()[0]}; {arguments.rounds} rounds, {MEMORY} MiB")
    table(taken, chosen)


if __name__ == "__main__":
    main()
