# SPDX-License-Identifier: GPL-2.0-only
"""The registers of an x86-64 program after system calls, however they return; the expected values are Linux's."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.host_compiler import compile_static

# Each case calls getpid, fork or kill with the carry and direction flags set. The handler of SIGUSR1, which runs before kill()
# returns, changes the saved context as the case says.
PROGRAM = r"""
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TF 0x100

/* What the kernel started the program with. */
long start_rcx = -1, start_r11 = -1;
asm(".globl begin; begin: mov %rcx, start_rcx(%rip); mov %r11, start_r11(%rip); jmp _start");

static struct { greg_t rcx, r11, rip, flags; } change;
static sigjmp_buf place;
static greg_t traps, trapped_at;

static void on_usr1(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	regs[REG_EFL] |= change.flags;
	regs[REG_R11] = change.r11 ? change.r11 : regs[REG_EFL];
	if (change.rip)
		regs[REG_RIP] = change.rip;
	regs[REG_RCX] = change.rcx ? change.rcx : regs[REG_RIP];
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	traps++;
	trapped_at = regs[REG_RIP];
	regs[REG_EFL] &= ~TF;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	printf("%llx: code %d at %p\n", regs[REG_RIP], info->si_code, info->si_addr);
	siglongjmp(place, 1);
}

static long call(const char *what, long number, long a, long b)
{
	long before, after, rcx, rip, next, result = number;
	register long r11 asm("r11");

	asm volatile("stc; std; pushfq; pop %[before]; syscall\n"
			"1: mov %%rcx, %[rcx]\n"
			"2: pushfq; pop %[after]; cld; lea 1b(%%rip), %[rip]; lea 2b(%%rip), %[next]"
			: "+a" (result), [before] "=&r" (before), [after] "=&r" (after), [rcx] "=&r" (rcx), "=r" (r11),
			[rip] "=&r" (rip), [next] "=&r" (next)
			: "D" (a), "S" (b) : "rcx", "memory", "cc");
	printf("%s: rcx %s, r11 %s, flags %s", what, rcx == rip ? "rip" : rcx == 0x1111 ? "changed" : "wrong",
		r11 == before ? "flags" : r11 == 0x2222 ? "changed" : r11 == (before | TF) ? "flags and TF" : "wrong",
		after == before ? "kept" : "wrong");
	if (traps)
		printf(", %lld trap %s", traps, trapped_at == next ? "behind the next instruction" : "at a wrong place");
	printf("\n");
	traps = 0;
	return result;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(number, &action, NULL);
}

static void returning(const char *what, greg_t rcx, greg_t r11, greg_t rip, greg_t flags)
{
	change.rcx = rcx;
	change.r11 = r11;
	change.rip = rip;
	change.flags = flags;
	if (!sigsetjmp(place, 1))
		call(what, SYS_kill, getpid(), SIGUSR1);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0); /* the lines of parent and child do not mix */
	printf("exec: rcx %lx, r11 %lx\n", start_rcx, start_r11);
	call("getpid", SYS_getpid, 0, 0);
	if (call("fork", SYS_fork, 0, 0) == 0)
		return 0;
	wait(NULL);
	handle(SIGUSR1, on_usr1);
	handle(SIGTRAP, on_trap);
	handle(SIGSEGV, on_fault);
	returning("signal", 0, 0, 0, 0);
	returning("rcx", 0x1111, 0, 0, 0);
	returning("r11", 0, 0x2222, 0, 0);
	returning("TF", 0, 0, 0, TF);
	returning("rip", 0, 0, 0x800000000000, 0);
	returning("rip", 0, 0, 0x7000000000000000, 0);
	returning("rip", 0, 0, 0x7ffffffff000, 0);
	returning("rip", 0, 0, 0xffffffff81000000, 0);
	return 0;
}
"""

EXPECTED = """\
exec: rcx 0, r11 0
getpid: rcx rip, r11 flags, flags kept
fork: rcx rip, r11 flags, flags kept
fork: rcx rip, r11 flags, flags kept
signal: rcx rip, r11 flags, flags kept
rcx: rcx changed, r11 flags, flags kept
r11: rcx rip, r11 changed, flags kept
TF: rcx rip, r11 flags and TF, flags kept, 1 trap behind the next instruction
800000000000: code 128 at (nil)
7000000000000000: code 128 at (nil)
7ffffffff000: code 1 at 0x7ffffffff000
ffffffff81000000: code 1 at 0xffffffff81000000
"""


@pytest.mark.parametrize("tracer", ["nop", "function_graph"])
def test_registers_after_system_calls(tmp_path: Path, tracer: str) -> None:
    compile_static("x86_64", PROGRAM, tmp_path / "registers", "-mno-red-zone", "-Wl,-e,begin")
    with Machine(cpus=2, shares=[Share(tmp_path, guest="/mnt")]) as machine:
        machine.tracefs.write("current_tracer", tracer)
        done = machine.run("/mnt/registers")
        assert (done.status, done.output.decode()) == (0, EXPECTED)
        assert machine.warnings == []
