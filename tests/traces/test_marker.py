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
 0) ! 198.260 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-13     
 ------------------------------------------

 0)   1.840 us    |  sys_ioctl();
 0)   4.340 us    |  sys_setpgid();
 0)   1.540 us    |  sys_ioctl();
 0) ! 435.280 us  |  sys_execve();
 0)   0.080 us    |  sys_getpid();
 0)   2.610 us    |  sys_brk();
 0)   6.700 us    |  sys_brk();
 0) + 12.300 us   |  sys_getcwd();
 0)   1.180 us    |  sys_getppid();
 0)   6.700 us    |  sys_brk();
 0) + 15.260 us   |  sys_newfstatat();
 0) + 14.960 us   |  sys_newfstatat();
 0) + 35.200 us   |  sys_chdir();
 0) + 69.220 us   |  sys_openat();
 0)   3.930 us    |  sys_fcntl();
 0)   2.290 us    |  sys_dup2();
 0)   1.760 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 16.600 us   |  }
 0)   9.180 us    |  sys_dup2();
 0)   1.750 us    |  sys_close();
 0) ! 184.230 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 24.350 us   |  sys_newfstatat();
 0) ! 417.690 us  |  sys_execve();
 0) ! 102.880 us  |  sys_openat();
 0)   4.960 us    |  sys_newfstat();
 0)   5.150 us    |  sys_newfstat();
 0) + 19.880 us   |  sys_read();
 0)   9.400 us    |  sys_write();
 0)   4.880 us    |  sys_read();
 0)   9.180 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) # 1141.580 us |  } /* sys_wait4 */
 0) + 53.710 us   |  sys_openat();
 0)   3.930 us    |  sys_fcntl();
 0)   2.290 us    |  sys_dup2();
 0)   1.760 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 16.540 us   |  }
 0)   9.160 us    |  sys_dup2();
 0)   1.750 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0) # 3515.060 us |  } /* sys_wait4 */
 0)   1.840 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
