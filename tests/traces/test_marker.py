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
 0) ! 222.290 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-12     
 ------------------------------------------

 0)   1.840 us    |  sys_ioctl();
 0)   4.470 us    |  sys_setpgid();
 0)   1.540 us    |  sys_ioctl();
 0) ! 430.520 us  |  sys_execve();
 0)   0.080 us    |  sys_getpid();
 0)   2.660 us    |  sys_brk();
 0)   6.680 us    |  sys_brk();
 0) + 12.420 us   |  sys_getcwd();
 0)   1.230 us    |  sys_getppid();
 0)   6.680 us    |  sys_brk();
 0) + 15.170 us   |  sys_newfstatat();
 0) + 14.940 us   |  sys_newfstatat();
 0) + 35.470 us   |  sys_chdir();
 0) + 68.500 us   |  sys_openat();
 0)   4.050 us    |  sys_fcntl();
 0)   2.360 us    |  sys_dup2();
 0)   1.830 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 15.930 us   |  }
 0)   9.260 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0) ! 198.910 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-12      =>     cat-13    
 ------------------------------------------

 0) + 24.370 us   |  sys_newfstatat();
 0) ! 412.500 us  |  sys_execve();
 0) ! 102.450 us  |  sys_openat();
 0)   4.960 us    |  sys_fstat();
 0)   5.150 us    |  sys_fstat();
 0) + 19.680 us   |  sys_read();
 0)   9.100 us    |  sys_write();
 0)   4.800 us    |  sys_read();
 0)   9.060 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-13     =>     sh-12     
 ------------------------------------------

 0) # 1116.170 us |  } /* sys_wait4 */
 0) + 52.880 us   |  sys_openat();
 0)   4.050 us    |  sys_fcntl();
 0)   2.360 us    |  sys_dup2();
 0)   1.830 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 15.870 us   |  }
 0)   9.240 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-12      =>     init-1    
 ------------------------------------------

 0) # 3456.540 us |  } /* sys_wait4 */
 0)   1.840 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
