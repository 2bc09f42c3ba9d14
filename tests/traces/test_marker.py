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
 0) ! 123.360 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-13     
 ------------------------------------------

 0)   5.110 us    |  sys_ioctl();
 0)   6.910 us    |  sys_setpgid();
 0)   1.900 us    |  sys_ioctl();
 0) ! 303.070 us  |  sys_execve();
 0)   0.230 us    |  sys_getpid();
 0)   2.830 us    |  sys_brk();
 0)   8.440 us    |  sys_brk();
 0) + 13.480 us   |  sys_getcwd();
 0)   1.460 us    |  sys_getppid();
 0)   4.100 us    |  sys_brk();
 0) + 16.780 us   |  sys_newfstatat();
 0)   9.940 us    |  sys_newfstatat();
 0) + 20.820 us   |  sys_chdir();
 0) + 67.340 us   |  sys_openat();
 0)   4.600 us    |  sys_fcntl();
 0)   1.740 us    |  sys_dup2();
 0)   1.400 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 20.520 us   |  }
 0) + 10.890 us   |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0) ! 116.140 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 16.620 us   |  sys_newfstatat();
 0) ! 238.500 us  |  sys_execve();
 0) + 64.330 us   |  sys_openat();
 0)   4.230 us    |  sys_newfstat();
 0)   2.740 us    |  sys_newfstat();
 0) + 22.680 us   |  sys_read();
 0) + 11.790 us   |  sys_write();
 0)   4.680 us    |  sys_read();
 0) + 10.380 us   |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) ! 784.560 us  |  } /* sys_wait4 */
 0) + 45.240 us   |  sys_openat();
 0)   3.170 us    |  sys_fcntl();
 0)   2.120 us    |  sys_dup2();
 0)   1.270 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 11.670 us   |  }
 0)   7.700 us    |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0) # 2553.200 us |  } /* sys_wait4 */
 0)   2.390 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
