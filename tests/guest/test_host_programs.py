# SPDX-License-Identifier: GPL-2.0-only
"""Static programs built by the host's compilers with glibc, in the guest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.commands import run as output_of
from tests.lib.disks import make_ext2, needs_e2fsprogs
from tests.lib.golden import read_golden
from tests.lib.host_compiler import compile_static

HERE = Path(__file__).parent

# Jumps out of deep calls and out of signal handlers must restore the registers, the signal mask and the remaining frames.
JUMPS = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf place;
static volatile int jumps;

static int deep(int depth)
{
	int local[20];

	memset(local, depth, sizeof(local));
	if (!depth)
		siglongjmp(place, ++jumps);
	return deep(depth - 1) + local[3];
}

static void handler(int number)
{
	siglongjmp(place, 100);
}

int main(void)
{
	volatile int kept = 42, tries = 0;
	char *memory;
	int result;

	signal(SIGUSR1, handler);
	result = sigsetjmp(place, 1);
	tries++;
	printf("%d %d %d\n", result, kept, tries);
	if (result < 3)
		deep(30 * (result + 1));
	if (tries < 6)
		raise(SIGUSR1);
	memory = calloc(1, 1000000);
	printf("%.3f %d\n", atof("2.5") * 3, memory[999999]);
	return 7;
}
"""

BAD_CONTEXT = r"""
int main(void)
{
	register long context asm("o0") = 8, mask asm("o1") = 0;

	asm volatile("ta %0" :: "i" (TRAP), "r" (context), "r" (mask) : "memory");
	return 0;
}
"""


# Scalars; with -mavx2 they are in 128-bit registers.
SUMS = r"""
#include <stdio.h>

int main(int argc, char **argv)
{
	double sum = 0, product = 1;

	for (int i = 1; i < argc; i++) {
		sum += i * 0.5;
		product *= sum + argc;
	}
	printf("%g %g\n", sum, product);
	return 0;
}
"""


# Continues until the other program has had its turns, too.
HARMONIC = r"""
#include <stdio.h>

int main(void)
{
	double sum = 0;

	for (int i = 1; i <= 300000; i++)
		sum += 1.0 / i;
	printf("%.10f\n", sum);
	return 0;
}
"""


def run(arch: str, source: str, folder: Path) -> tuple[int, str]:
    compile_static(arch, source, folder / "program")
    with Machine(arch=arch, shares=[Share(folder, "/p")]) as machine:
        done = machine.run("/p/program")
    return done.status, done.output.decode()


def test_jumps(arch: str, tmp_path: Path) -> None:
    assert run(arch, JUMPS, tmp_path) == (7, "0 42 1\n1 42 2\n2 42 3\n3 42 4\n100 42 5\n100 42 6\n7.500 0\n")


def test_floating_point_registers_are_a_programs_own(arch: str, tmp_path: Path) -> None:
    compile_static(arch, HARMONIC, tmp_path / "program")
    with Machine(arch=arch, cpus=1, shares=[Share(tmp_path, "/p")]) as machine:
        assert machine.run("/p/program & /p/program; wait").output == b"13.1887550852\n" * 2


@pytest.mark.parametrize("trap", [0x6E, 0x6F])
def test_a_context_that_cannot_be_reached_kills_the_program(trap: int, tmp_path: Path) -> None:
    status, output = run("sparc64", BAD_CONTEXT.replace("TRAP", str(trap)), tmp_path)
    assert (status, output) == (139, "Segmentation fault\n")


@pytest.mark.parametrize("instruction", ["vpaddd %ymm1, %ymm0, %ymm2", "vaddsd %xmm1, %xmm0, %xmm2", ".byte 0x06"])
def test_the_console_names_an_instruction_that_the_cpu_does_not_have(instruction: str, tmp_path: Path) -> None:
    status, output = run("x86_64", f'int main(void) {{ asm volatile("{instruction}"); return 0; }}', tmp_path)
    assert status == 132
    assert re.fullmatch(
        r"\[ *[\d.]+\] traps: program\[\d+\] trap invalid opcode ip:\w+ sp:\w+ error:0 in program\[\w+\+\w+\]: "
        rf"{re.escape(instruction)}\nIllegal instruction\n",
        output,
    )


def test_a_program_for_avx_is_stopped_before_it_computes_anything_wrong(tmp_path: Path) -> None:
    compile_static("x86_64", SUMS, tmp_path / "program", "-O3", "-mavx2")
    with Machine(shares=[Share(tmp_path, "/p")]) as machine:
        done = machine.run("/p/program 1 2 3")
    assert done.status == 132
    assert re.search(r"trap invalid opcode .* in program\[\w+\+\w+\]: v\w+ .*\nIllegal instruction\n$", done.output.decode())
    assert run("x86_64", SUMS, tmp_path)[1] == "0 1\n"


@needs_e2fsprogs
def test_system_calls_answer_as_linuxs(arch: str, tmp_path: Path) -> None:
    """On ramfs and on ext2. `linux-answers.txt` is the output of the program on a Linux host."""
    compile_static(arch, (HERE / "linux_answers.c").read_text(), tmp_path / "answers")
    disk = tmp_path / "disk"
    make_ext2(disk, 1 << 20)
    expected = read_golden("linux-answers.txt")
    with Machine(arch=arch, shares=[Share(tmp_path, "/p")], ramdisk=disk) as machine:
        assert output_of(machine, "cd /tmp; /p/answers 2>&1") == expected
        assert output_of(machine, "mkdir /d; mount -t ext2 /dev/ram0 /d; cd /d; /p/answers 2>&1") == expected
        assert machine.warnings == []


UNKNOWN = """
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	long result = syscall(100000);

	printf("%ld %s\\n", result, errno == ENOSYS ? "ENOSYS" : "another error");
	return 0;
}
"""


def test_system_calls_that_there_are_not_have_a_function_too(arch: str, tmp_path: Path) -> None:
    compile_static(arch, UNKNOWN, tmp_path / "unknown")
    with Machine(arch=arch, shares=[Share(tmp_path, "/p")]) as machine:
        machine.tracefs.write("set_ftrace_filter", "sys_ni_syscall")
        machine.tracefs.write("current_tracer", "function")
        assert output_of(machine, "/p/unknown") == "-1 ENOSYS\n"
        assert f"sys_ni_syscall <-{FACTS[arch].system_call}\n" in machine.tracefs.read("trace")
