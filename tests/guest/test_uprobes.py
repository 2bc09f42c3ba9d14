# SPDX-License-Identifier: GPL-2.0-only
"""Probes in programs: the programs behave as without them, and the events match."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES
from emu.cpu.ramdisk import RamDisk
from emu.ftrace.errors import TraceError
from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.disks import make_ext2, needs_e2fsprogs
from tests.lib.probed_program import ProbedProgram

PROGRAM = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone))

volatile unsigned short counter = 100;
static sigjmp_buf place;
static int *nowhere;

PROBED long add(long a, long b)
{
	asm volatile("" : : : "memory");
	return a + b;
}

PROBED long sum(long n)
{
	return n ? add(n, sum(n - 1)) : 0;
}

PROBED void leap(int depth)
{
	if (depth)
		leap(depth - 1);
	else
		siglongjmp(place, 1);
	asm volatile("" : : : "memory");
}

PROBED void store(int *to, int value)
{
	*(volatile int *)to = value;
}

PROBED void greet(const char *name, int number)
{
	asm volatile("" : : "r" (name), "r" (number) : "memory");
}

static void handler(int number, siginfo_t *info, void *context)
{
	if (info->si_addr == nowhere)
		siglongjmp(place, number);
	mprotect((void *)((long)info->si_addr & -16384), 16384, PROT_READ | PROT_WRITE);
}

static void faults(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int *page = mmap(0, 32768, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaction(SIGSEGV, &action, 0);
	page = (int *)(((long)page + 16383) & -16384);
	store(page, 5);
	nowhere = (int *)8;
	if (!sigsetjmp(place, 1))
		store(nowhere, 6);
	else
		printf("%d, and not %p\n", *page, (void *)nowhere);
}

static void trap(void)
{
#ifdef __x86_64__
	asm volatile("int3");
#elif defined(__riscv)
	asm volatile(".option push; .option norvc; ebreak; .option pop");
#else
	asm volatile("ta 1");
#endif
}

static void forks(void)
{
	int status;

	fflush(stdout);
	if (!fork()) {
		printf("child %ld\n", sum(10));
		exit(3);
	}
	wait(&status);
	printf("parent %ld %d\n", sum(20), WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "sum"))
			printf("%ld\n", sum(30));
		else if (!strcmp(argv[i], "leap"))
			for (volatile int n = 0; n < 5; n++)
				sigsetjmp(place, 1) ? (void)printf("back %ld\n", sum(2)) : leap(3);
		else if (!strcmp(argv[i], "faults"))
			faults();
		else if (!strcmp(argv[i], "fork"))
			forks();
		else if (!strcmp(argv[i], "greet"))
			greet("you", 42);
		else if (!strcmp(argv[i], "trap"))
			trap();
		else if (!strcmp(argv[i], "counter"))
			printf("%d\n", counter);
		else if (!strcmp(argv[i], "wait"))
			for (int sleeps = 0; sleeps < 200; sleeps++) {
				usleep(10000);
				sum(1);
			}
	}
	return 0;
}
"""


@dataclass
class Probed:
    """A machine that sees the program as /p/program."""

    machine: Machine
    program: ProbedProgram

    def define(self, *lines: str) -> None:
        """Defines events; `{name}` is replaced by the function's offset in the file."""
        places = {name: f"{self.program.file.name}:{self.program.offset(name):#x}" for name in self.names}
        for line in lines:
            self.machine.tracefs.append("uprobe_events", re.sub(r"\{(\w+)\}", lambda m: f"/p/{places[m[1]]}", line) + "\n")
        self.enable(True)

    names = ("sum", "add", "leap", "store", "greet", "main")

    def enable(self, on: bool) -> None:
        self.machine.tracefs.write("events/uprobes/enable", str(int(on)))

    def run(self, *words: str) -> str:
        done = self.machine.run(" ".join(["/p/program", *words]))
        assert done.status == 0, done
        return done.output.decode()

    def hits(self) -> dict[str, int]:
        lines = self.machine.tracefs.read("uprobe_profile").splitlines()
        return {name: int(count) for _, name, count in (line.split() for line in lines)}

    def trace(self) -> list[str]:
        """The texts of the events, with the program's addresses as names."""
        text = self.machine.tracefs.read("trace")
        for name in self.names:
            text = text.replace(f"{self.program.address(name):#x}", name)
        return [line.partition(": ")[2] for line in text.splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module", params=ARCHITECTURES)
def booted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probed]:
    folder = tmp_path_factory.mktemp("p")
    program = ProbedProgram(request.param, PROGRAM, folder)
    with Machine(request.param, cpus=2, ramdisk=RamDisk(4 << 20), shares=[Share(folder, "/p")]) as machine:
        yield Probed(machine, program)


@pytest.fixture
def probed(booted: Probed) -> Iterator[Probed]:
    before = booted.machine.checkpoint()
    yield booted
    booted.machine.restore(before)


def test_calls_and_returns(probed: Probed) -> None:
    assert probed.run("sum") == "465\n"
    probed.define("p:call {sum}", "r:back {sum} value=$retval:s64", "p:adds {add}")
    assert probed.run("sum") == "465\n"
    assert probed.hits() == {"call": 31, "back": 31, "adds": 30}
    trace = probed.trace()
    assert trace[:31] == ["call: (sum)"] * 31
    assert [line.partition("value=")[2] for line in trace if line.startswith("back")] == [
        str(n * (n + 1) // 2) for n in range(31)
    ]
    assert all(re.fullmatch(r"back: \(0x[0-9a-f]+ <- sum\) value=\d+", line) for line in trace if line.startswith("back"))
    probed.enable(False)
    assert probed.run("sum") == "465\n"
    assert probed.hits() == {"call": 31, "back": 31, "adds": 30}


def test_arguments(probed: Probed) -> None:
    registers = {"x86_64": ("%di", "%si"), "sparc64": ("%o0", "%o1"), "riscv64": ("%a0", "%a1")}
    first, second = registers[probed.machine.board.arch.name]
    place = probed.program.offset("sum")
    probed.define(
        f"p:greets {{greet}} name=+0({first}):string number={second}:s32 comm=$comm counter=@+{place:#x}:x8 far=+0(\\0):string"
    )
    probed.run("greet")
    byte = probed.program.file.read_bytes()[place]
    assert probed.trace() == [f'greets: (greet) name="you" number=42 comm="program" counter={byte:#x} far=(fault)']


def test_calls_that_never_return(probed: Probed) -> None:
    expected = probed.run("leap")
    probed.define("r:leaps {leap}", "r:sums {sum}", "r:mains {main}")
    assert probed.run("leap") == expected == "back 3\n" * 5
    assert probed.hits() == {"leaps": 0, "sums": 15, "mains": 1}


def test_an_instruction_that_faults_is_done_again(probed: Probed) -> None:
    expected = probed.run("faults")
    probed.define("p:stores {store}")
    assert probed.run("faults") == expected == "5, and not 0x8\n"
    assert probed.hits()["stores"] in (2, 3)  # once more, if the store itself is the first instruction


def test_a_child_has_its_parents_probes_and_calls(probed: Probed) -> None:
    probed.define("p:call {sum}", "r:back {sum}", "r:mains {main}")
    assert probed.run("fork") == "child 55\nparent 210 3\n"
    assert probed.hits() == {"call": 32, "back": 32, "mains": 1}


def test_a_program_that_runs_already(probed: Probed) -> None:
    machine = probed.machine
    machine.run("for i in 1 2 3; do /p/program wait & done; sleep 0.1")
    probed.define("p:call {sum}", "r:back {sum}")
    machine.run("sleep 0.5")
    probed.enable(False)
    hits = probed.hits()
    assert hits["call"] > 100
    assert hits["back"] == hits["call"]
    machine.run("sleep 0.1")
    assert probed.hits() == hits
    probed.enable(True)
    assert machine.run("wait; echo done").output == b"done\n"


def test_a_counter_of_those_who_probe(probed: Probed) -> None:
    counter = probed.program.offset("counter")
    place = f"/p/program:{probed.program.offset('greet'):#x}({counter:#x})"
    probed.machine.tracefs.write("uprobe_events", f"p:one {place}\np:two {place}\n")
    assert probed.run("counter") == "100\n"
    probed.enable(True)
    assert probed.run("counter", "greet", "counter") == "101\n101\n"
    assert probed.hits() == {"one": 1, "two": 1}
    probed.enable(False)
    assert probed.run("counter") == "100\n"


def test_what_is_mapped_is_seen_in_maps(probed: Probed) -> None:
    probed.define("p:mains {main}")
    output = probed.machine.run("cat /proc/self/maps").output.decode()
    assert "[uprobes]" not in output
    machine = probed.machine
    machine.run("/p/program wait & sleep 0.1")
    assert "[uprobes]" in machine.run("cat /proc/$(pidof program)/maps").output.decode()


@needs_e2fsprogs
def test_a_file_on_a_disk(probed: Probed, tmp_path: Path) -> None:
    machine, program = probed.machine, probed.program
    make_ext2(tmp_path / "disk", 4 << 20, content=[f"write {program.file} program"])
    assert machine.ramdisk is not None
    machine.ramdisk.write(0, (tmp_path / "disk").read_bytes())
    machine.run("mkdir /d; mount -t ext2 /dev/ram0 /d; chmod 755 /d/program")
    machine.tracefs.write("uprobe_events", f"p:call /d/program:{program.offset('sum'):#x}")
    probed.enable(True)
    assert machine.run("/d/program sum").output == b"465\n"
    assert machine.tracefs.read("uprobe_profile").split() == ["/d/program", "call", "31"]


def test_a_file_in_memory(probed: Probed) -> None:
    machine = probed.machine
    machine.run("cp /p/program /copy")
    machine.tracefs.write("uprobe_events", f"p:call /copy:{probed.program.offset('sum'):#x}")
    probed.enable(True)
    assert machine.run("/copy sum").output == b"465\n"
    machine.run("mv /copy /moved")
    assert machine.run("/moved sum; rm /moved; cp /p/program /copy; /copy sum").output == b"465\n" * 2
    assert probed.hits() == {"call": 62}


def test_a_breakpoint_of_its_own_and_one_within_an_instruction(probed: Probed) -> None:
    """The first breakpoint belongs to the program; the second is the user's mistake. The kernel survives."""
    program, machine = probed.program, probed.machine
    probed.define("p:adds {add}")
    assert machine.run("/p/program trap").status == 128 + signal.SIGTRAP
    if machine.board.arch.name == "x86_64":
        machine.tracefs.append("uprobe_events", f"p:within /p/program:{program.offset('main') + 1:#x}\n")
        probed.enable(True)
        machine.run("/p/program sum")
        machine.tracefs.write("events/uprobes/within/enable", "0")
    assert probed.run("sum") == "465\n"


def test_nothing_is_probed_between_a_reservation_and_its_store(probed: Probed) -> None:
    """On RISC-V, the trap would end the reservation, and the loop around both would never end."""
    if probed.machine.board.arch.name != "riscv64":
        return
    data, libc = probed.program.file.read_bytes(), probed.program.offset("exit")
    parcels = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data) - 1, 2)]
    atomic = {2 * n: parcels[n + 1] >> 11 for n in range(libc // 2, len(parcels) - 1) if parcels[n] & 0x7F == 0x2F}
    load = next(at for at, kind in atomic.items() if kind == 2 and 3 in (atomic.get(at + size) for size in range(6, 20, 2)))
    store = next(at for at in sorted(atomic) if at > load and atomic[at] == 3)
    for place in load, load + 4, store:
        probed.machine.tracefs.write("uprobe_events", f"p:one /p/program:{place:#x}")
        with pytest.raises(TraceError):
            probed.enable(True)
        assert probed.machine.tracefs.read("events/uprobes/one/enable") == "0\n"
    probed.machine.tracefs.write("uprobe_events", f"p:one /p/program:{store + 4:#x}")
    probed.enable(True)
