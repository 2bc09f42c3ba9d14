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
 0) ! 218.200 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-12     
 ------------------------------------------

 0)   1.850 us    |  sys_ioctl();
 0)   4.470 us    |  sys_setpgid();
 0)   1.550 us    |  sys_ioctl();
 0) ! 453.700 us  |  sys_execve();
 0)   0.080 us    |  sys_getpid();
 0)   2.670 us    |  sys_brk();
 0)   6.690 us    |  sys_brk();
 0) + 12.440 us   |  sys_getcwd();
 0)   1.230 us    |  sys_getppid();
 0)   6.690 us    |  sys_brk();
 0) + 15.200 us   |  sys_newfstatat();
 0) + 14.970 us   |  sys_newfstatat();
 0) + 35.490 us   |  sys_chdir();
 0) + 87.400 us   |  sys_openat();
 0)   4.060 us    |  sys_fcntl();
 0)   2.360 us    |  sys_dup2();
 0)   1.830 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 16.350 us   |  }
 0)   9.260 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0) ! 195.070 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-12      =>     cat-13    
 ------------------------------------------

 0) + 24.400 us   |  sys_newfstatat();
 0) ! 440.900 us  |  sys_execve();
 0) ! 111.850 us  |  sys_openat();
 0)   4.980 us    |  sys_fstat();
 0)   5.170 us    |  sys_fstat();
 0) + 20.180 us   |  sys_read();
 0)   9.510 us    |  sys_write();
 0)   5.080 us    |  sys_read();
 0)   9.060 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-13     =>     sh-12     
 ------------------------------------------

 0) # 1148.580 us |  } /* sys_wait4 */
 0) + 67.100 us   |  sys_openat();
 0)   4.060 us    |  sys_fcntl();
 0)   2.360 us    |  sys_dup2();
 0)   1.830 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 16.290 us   |  }
 0)   9.240 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-12      =>     init-1    
 ------------------------------------------

 0) # 3622.990 us |  } /* sys_wait4 */
 0)   1.850 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
