# SPDX-License-Identifier: GPL-2.0-only
"""What a program writes to trace_marker stands between the calls: here around the system calls of `cat`."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --cpus 1 -p function_graph -l 'sys_*' "
    "-- 'cd /sys/kernel/tracing; echo before > trace_marker; cat /proc/version; echo after > trace_marker'"
)

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0) ! 126.010 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-13     
 ------------------------------------------

 0)   5.080 us    |  sys_ioctl();
 0)   6.990 us    |  sys_setpgid();
 0)   1.890 us    |  sys_ioctl();
 0) ! 293.120 us  |  sys_execve();
 0)   0.230 us    |  sys_getpid();
 0)   2.880 us    |  sys_brk();
 0)   8.600 us    |  sys_brk();
 0) + 13.800 us   |  sys_getcwd();
 0)   1.510 us    |  sys_getppid();
 0)   4.370 us    |  sys_brk();
 0) + 17.430 us   |  sys_newfstatat();
 0) + 10.550 us   |  sys_newfstatat();
 0) + 22.160 us   |  sys_chdir();
 0) + 67.880 us   |  sys_openat();
 0)   4.730 us    |  sys_fcntl();
 0)   1.830 us    |  sys_dup2();
 0)   1.480 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 20.890 us   |  }
 0) + 11.070 us   |  sys_dup2();
 0)   1.400 us    |  sys_close();
 0) ! 103.500 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 17.230 us   |  sys_newfstatat();
 0) ! 262.790 us  |  sys_execve();
 0) + 65.740 us   |  sys_openat();
 0)   4.400 us    |  sys_newfstat();
 0)   2.670 us    |  sys_newfstat();
 0) + 23.400 us   |  sys_read();
 0) + 12.110 us   |  sys_write();
 0)   4.990 us    |  sys_read();
 0) + 10.610 us   |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) ! 826.710 us  |  } /* sys_wait4 */
 0) + 45.760 us   |  sys_openat();
 0)   3.320 us    |  sys_fcntl();
 0)   2.150 us    |  sys_dup2();
 0)   1.380 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 12.450 us   |  }
 0)   7.920 us    |  sys_dup2();
 0)   1.400 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0) # 2616.390 us |  } /* sys_wait4 */
 0)   2.380 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
