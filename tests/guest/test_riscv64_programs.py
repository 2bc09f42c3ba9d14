# SPDX-License-Identifier: GPL-2.0-only
"""What a RISC-V program sees of the kernel: floating point, frames of signals, the vDSO; the expected values are Linux's."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.commands import run
from tests.lib.host_compiler import compile_static

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/cachectl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define CHILDREN 6

static unsigned long get_fcsr(void)
{
	unsigned long value;

	asm volatile("frcsr %0" : "=r" (value));
	return value;
}

static void set_fcsr(unsigned long value)
{
	asm volatile("fscsr %0" :: "r" (value));
}

/* A comparison with a NaN raises a flag and writes no register; the registers are clean after a sleep. */
static void flags(void)
{
	asm volatile("fmv.d.x ft0, %0" :: "r" (0x7ff8000000000000));
	usleep(1000);
	asm volatile("flt.d zero, ft0, ft0");
	usleep(1000);
	printf("slept %lx\n", get_fcsr());
	if (fork() == 0) {
		printf("child %lx\n", get_fcsr());
		set_fcsr(0x25);
		_exit(0);
	}
	wait(NULL);
	printf("parent %lx\n", get_fcsr());
}

static int keeps(unsigned long child)
{
	for (unsigned long i = 0; i < 300; i++) {
		unsigned long mode = (child + i) % 5 << 5 | (child * 7 + i) % 32, number = child * 1000003 + i, got;

		asm volatile("fmv.d.x fs3, %0" :: "r" (number));
		set_fcsr(mode);
		if (i % 3 == 0)
			sched_yield();
		for (volatile int j = 0; j < 3000; j++)
			;
		asm volatile("fmv.x.d %0, fs3" : "=r" (got));
		if (got != number || get_fcsr() != mode)
			return 1;
	}
	return 0;
}

/* Each child has its own numbers, rounding and flags. */
static void switches(void)
{
	int status, errors = 0;

	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			_exit(keeps(i + 1));
	for (int i = 0; i < CHILDREN; i++) {
		wait(&status);
		errors += status != 0;
	}
	printf("%d errors\n", errors);
}

static void change(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned long *registers = uc->uc_mcontext.__gregs;
	struct __riscv_mc_d_ext_state *fp = &uc->uc_mcontext.__fpregs.__d;

	printf("fs2 %llx fcsr %x s2 %lx\n", fp->__f[18], fp->__fcsr, registers[18]);
	fp->__f[18] = 0x4000000000000000;
	fp->__fcsr = 0x41;
	registers[18] = 0x5678;
	registers[REG_PC] |= 1; /* no instruction is there */
	set_fcsr(0x1f);
	asm volatile("fmv.d.x fs2, zero");
}

static void signals(void)
{
	struct sigaction action = { .sa_sigaction = change, .sa_flags = SA_SIGINFO };
	unsigned long fs2, pid = getpid();
	register long nr asm("a7"), a0 asm("a0"), a1 asm("a1");
	register unsigned long s2 asm("s2");

	sigaction(SIGUSR1, &action, NULL);
	set_fcsr(0x2a);
	nr = 129, a0 = pid, a1 = SIGUSR1, s2 = 0x1234; /* kill */
	asm volatile("fmv.d.x fs2, %[one]\n ecall\n fmv.x.d %[fs2], fs2" : "+r" (a0), "+r" (s2), [fs2] "=r" (fs2)
			: [one] "r" (0x3ff0000000000000), "r" (nr), "r" (a1) : "memory");
	printf("fs2 %lx fcsr %lx s2 %lx\n", fs2, get_fcsr(), s2);
}

static int depth;

static _Unwind_Reason_Code count(struct _Unwind_Context *context, void *argument)
{
	depth++;
	return 0;
}

static void unwind(int number)
{
	unsigned long back = (unsigned long)__builtin_return_address(0), vdso = getauxval(AT_SYSINFO_EHDR);

	_Unwind_Backtrace(count, NULL);
	printf("%s frames, back to %s\n", depth > 3 ? "all" : "few", back == vdso + 0x800 ? "the vDSO" : "elsewhere");
}

static void vdso(void)
{
	printf("hwcap %lx platform %lx\n", getauxval(AT_HWCAP), getauxval(AT_PLATFORM));
	signal(SIGUSR2, unwind);
	raise(SIGUSR2);
	if (fork() == 0) {
		signal(SIGUSR2, unwind);
		depth = 0;
		raise(SIGUSR2);
		_exit(0);
	}
	wait(NULL);
}

static unsigned int *code;
static volatile int turn, seen = -1;

/* Executes on another CPU what main() has written. */
static void *executor(void *argument)
{
	for (int i = 0; i < 8; i++) {
		while (turn <= i)
			sched_yield();
		seen = ((int (*)(void))code)();
	}
	return NULL;
}

static void icache(void)
{
	pthread_t thread;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, executor, NULL);
	for (int i = 0; i < 8; i++) {
		code[0] = 0x00000513 | i << 20; /* li a0, i */
		code[1] = 0x00008067; /* ret */
		__riscv_flush_icache(code, code + 2, 0);
		turn = i + 1;
		while (seen != i)
			sched_yield();
	}
	pthread_join(thread, NULL);
	printf("executed %d, flags %d\n", seen, __riscv_flush_icache(code, code + 2, 2));
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0); /* the lines of parent and child do not mix */
	switch (argv[1][0]) {
	case 'f': flags(); break;
	case 's': switches(); break;
	case 'g': signals(); break;
	case 'v': vdso(); break;
	case 'i': icache(); break;
	}
	return 0;
}
"""

SEEN = {
    "flags": "slept 10\nchild 10\nparent 10\n",
    "switches": "0 errors\n",
    "gregs": "fs2 3ff0000000000000 fcsr 2a s2 1234\nfs2 4000000000000000 fcsr 41 s2 5678\n",
    "vdso": "hwcap 112d platform 0\nall frames, back to the vDSO\nall frames, back to the vDSO\n",
    "icache": "executed 7, flags -22\n",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    compile_static("riscv64", PROGRAM, folder / "program", "-fexceptions")
    return folder


@pytest.mark.parametrize("case", SEEN)
def test_what_a_program_sees(programs: Path, case: str) -> None:
    with Machine(arch="riscv64", cpus=2, shares=[Share(programs, "/p")]) as machine:
        assert run(machine, f"/p/program {case}") == SEEN[case]
        assert machine.warnings == []


def test_the_vdso_is_an_area_of_each_program() -> None:
    with Machine(arch="riscv64", cpus=1) as machine:
        (line,) = (line for line in run(machine, "cat /proc/self/maps").splitlines() if "[vdso]" in line)
        assert line.split()[1:] == ["r-xp", "00000000", "00:00", "0", "[vdso]"]
