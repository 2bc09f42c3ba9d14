# SPDX-License-Identifier: GPL-2.0-only
"""A program of the ftrace documents that traces itself; their sessions are in emu/tour/documents."""

from __future__ import annotations

import re
from pathlib import Path

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.host_compiler import compile_static
from tests.lib.sessions import session

ENTRY = re.compile(r"^\s*(?P<comm>.{1,16})-(?P<pid>\d+)\s+\[\d+\] \S+\s+[\d.]+: (?P<function>[\w.]+)", re.M)

# The document's program with the same purpose: it finds debugfs, starts tracing itself, and becomes the command.
TRACER_IN_C = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int control(const char *debugfs, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/tracing/%s", debugfs, name);
	return open(path, O_WRONLY);
}

int main(int argc, char **argv)
{
	char debugfs[257], type[100] = "", line[64];
	FILE *mounts = fopen("/proc/mounts", "r");
	int tracer, pid;

	while (mounts && fscanf(mounts, "%*s %256s %99s%*[^\n]", debugfs, type) == 2 && strcmp(type, "debugfs"))
		;
	if (strcmp(type, "debugfs"))
		return 1;
	tracer = control(debugfs, "current_tracer");
	pid = control(debugfs, "set_ftrace_pid");
	if (write(tracer, "nop", 3) != 3 || write(pid, line, sprintf(line, "%d\n", getpid())) < 1)
		return 2;
	if (write(tracer, "function", 8) != 8)
		return 3;
	close(pid);
	close(tracer);
	execvp(argv[1], argv + 1);
	return 4;
}
"""


def entries(machine: Machine) -> list[re.Match[str]]:
    return list(ENTRY.finditer(machine.tracefs.read("trace")))


def functions(machine: Machine) -> set[str]:
    return {entry["function"] for entry in entries(machine)}


def test_a_program_with_the_hosts_libc_traces_one_command(arch: str, tmp_path: Path) -> None:
    compile_static(arch, TRACER_IN_C, tmp_path / "tracer")
    with Machine(arch=arch, shares=[Share(tmp_path, "/p")]) as machine:
        session(machine, "/p/tracer ls /bin\necho 0 > tracing_on\n")
        assert {entry["comm"].strip() for entry in entries(machine)} == {"ls"}
        assert {"sys_execve", "sys_getdents64"} <= functions(machine)
