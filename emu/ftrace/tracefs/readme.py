# SPDX-License-Identifier: GPL-2.0-only
"""The text of the file README: how to take a trace with the files beside it.

Programs (perf, libtracefs, the kernel's self-tests) detect features of the kernel by lines in Linux's version of this file.
Each of these lines is quoted here, on a line of its own. tests/ftrace/tracefs/test_readme.py has a test for each.
"""

__all__ = ["README"]

README = """\
Tracing, in short

  echo 'vfs_*' > set_ftrace_filter      which functions (none named: all)
  echo function > current_tracer        how: one of available_tracers
  echo 1 > tracing_on                   record ...
  ls
  echo 0 > tracing_on                   ... no longer
  cat trace                             what happened
  echo nop > current_tracer             functions run at full speed again

Tracers

  function          a line for each call, with the caller
  function_graph    calls and returns, nested like C, with how long each took
  hwlat             time that the hardware takes, unseen by the kernel: threads look for it while interrupts are off
  irqsoff           the longest time for which a CPU has interrupts off, and the functions that it calls meanwhile;
                    preemptoff: preemption; preemptirqsoff: either of both
  wakeup            the longest time for which the most urgent task that is woken waits for a CPU, and what goes on meanwhile;
                    wakeup_rt: of real-time and deadline tasks only; wakeup_dl: of deadline tasks only
                    (these six are the latency tracers)
  osnoise           what takes CPUs away from a thread that reads the clock all the time: interrupts, tasks, the firmware
  timerlat          how late a timer's interrupt comes, and the thread that it wakes
  blk               what happens to the requests of the disks whose /sys/block/DISK/trace/enable is 1. Beside it are
                    act_mask: what is recorded; pid: whose requests; start_lba and end_lba: of which sectors
  mmiotrace         x86-64: each access of a driver to registers of a device that it maps from now on, with its value
  branch            a line for each likely() and unlikely() of the kernel: whether it was right
  nop               no functions; markers only

What is traced

  available_filter_functions    every function that can be
  set_ftrace_filter             only these functions
  set_ftrace_notrace            never these; wins over set_ftrace_filter
  set_graph_function            function_graph: only what these call
  set_graph_notrace             function_graph: not these, nor what they call
  max_graph_depth               function_graph: calls nested at most so deep (0: any depth)
  tracing_max_latency           how many microseconds the longest time was that the tracer has found; write 0 to begin anew.
                                The latency tracers keep the trace of that time alone: files trace and trace_pipe show it
  tracing_thresh                function_graph: only returns of calls that took so many microseconds (0: all)
                                latency tracers: keep the latest time that is at least so long (0: the longest)
                                hwlat: only times that are longer (0: 10); osnoise: a gap counts if it is as long (0: 5)
  enabled_functions             the functions that call a tracer now
  recursed_functions            those that were called while they were being recorded. There are none: the machine records
                                functions without calling any

  function_profile_enabled      1: counts and times calls of the functions that set_ftrace_filter names, whatever the tracer is
  trace_stat/functionN          what a CPU has counted since: calls, microseconds, their average and variance, longest first
  trace_stat/branch_annotated   how often likely() and unlikely() were right, while the tracer or the option branch was on
  stack_max_size                bytes of the deepest stack since /proc/sys/kernel/stack_tracer_enabled is 1; 0 begins anew
  stack_trace                   the calls on that stack, and what each took of it
  stack_trace_filter            only these functions look how deep the stack is

  Each of these
      accepts: func_full_name or glob-matching-pattern
  Functions are named one after another:
      vfs_read   vfs_*   *_read   *read*   vfs_[rw]*   [!_]*   t?me
  '>' begins anew and '>>' adds; '!name' takes out; an empty line written with '>' clears.
  A word that names no function is refused, and then nothing has changed.

  In set_ftrace_filter and set_ftrace_notrace a word can be about functions of modules:
      beat:mod:sample_timer   *:mod:sample_*   beat:mod:!sample_timer   :mod:   !beat:mod:sample_timer
  One about a module that is not loaded waits until it is. A module that goes takes its functions out of the filters, which stay:
  a filter that has lost all its functions selects none.

  In set_ftrace_filter a command can say what functions do when they are called, at most COUNT times if that is given:
      schedule:traceoff   vfs_*:traceon:3   !schedule:traceoff   !vfs_*:traceon:0
      traceon, traceoff                   set tracing_on to 1 or 0
      stacktrace                          record the calls that led to the function
      snapshot                            take a snapshot
      enable_event:SYSTEM:EVENT[:COUNT]   record the event from now on; disable_event: no longer
      dump, cpudump                       print the trace on the console, of all CPUs or of this one
  What else is written, '>' too, leaves them in place.

  set_ftrace_pid                only these processes: '>' begins anew, '>>' adds
  set_ftrace_notrace_pid        never these processes
  tracing_cpumask               only on these CPUs: a bit for each, in hexadecimal

Events

  available_events              every event that can be recorded: SYSTEM:EVENT
  set_event                     those that are. '>' begins anew and '>>' adds; '!' before a word takes out:
      sched:sched_switch   sched_switch   sched   sched:*   *:*   !sched:sched_switch
  events/SYSTEM/EVENT/enable    1: record the event, 0: do not
  events/SYSTEM/enable          the same for all events of a system; X: some are recorded
  events/enable                 the same for all events
  events/SYSTEM/EVENT/format    the event's fields, and how they are printed
  eval_map                      names in the formats of events, and the numbers that they stand for there: NAME NUMBER (SYSTEM)
  events/SYSTEM/EVENT/id        its number, which begins its entries in the buffer
  events/SYSTEM/EVENT/filter    record it only if this is true of its fields; 0: always
      prev_prio < 100 || next_comm ~ "sl*"      == != < <= > >= &   strings: == != ~   && || ! ( )
      Also of common_pid and the like, CPU and COMM. 'call_site.function == vfs_read': an address in that function
  events/SYSTEM/filter          for all events of the system that have such fields
  events/ftrace/funcgraph_entry/filter, funcgraph_exit/filter   the same for function_graph: depth < 2
  events/SYSTEM/EVENT/trigger   what else happens, at most COUNT times if that is given, and IF the fields are so:
      traceoff   traceon:5   stacktrace   snapshot:1   enable_event:sched:sched_switch   stacktrace if bytes_req >= 4096
      !stacktrace takes it back. Until then the event's key is on: enable shows 0* or 1*
      hist:keys=<field1[,field2,...]>
                                          counts the event by at most three fields, common_timestamp, common_cpu, or stacktrace
          [:<var1>=<field|var_ref|numeric_literal>[,<var2>=...]]
                                          keeps for each key a field, or what + - * / and -(...) make of fields, numbers
                                          and $VAR or SYSTEM.EVENT.$VAR: what another trigger keeps for the same key
          [:values=<field1[,field2,...]>]
                                          adds up these, besides hitcount; also vals=
          [:sort=<field1[,field2,...]>]
                                          by what the table is sorted: a name, and .descending, if it is to be
          [:size=NUMBER]                  how many keys there is room for (2048): 128 to 131072
          [:name=NAME]                    shares the table with triggers of other events that have this name
          [:clock=CLOCK]                  the trace clock, if times are used (global)
          [:pause][:cont][:clear]         said again of a trigger that is there: stops it, goes on, empties its table
          [:HANDLER.ACTION]               what happens when an entry is counted. The handler says at which entries:
              onmatch(matching.event)
                                          if the other event has set its variables; the parameters can be its fields, too
              onmax(var)
              onchange(var)
                                          if $VAR is greater, or other, than before
              trace(<synthetic_event>,param list)
                                          a synthetic event happens, also EVENT(PARAMETER[,...]): $VAR, or a field
              save(field,...)
                                          keeps fields, which the table shows
              snapshot()
                                          takes a snapshot
          [if FILTER]
          How fields are shown: .hex .sym .sym-offset .execname (of common_pid) .syscall; common_timestamp.usecs
          As keys by powers of two or in groups: .log2 .buckets=SIZE
      Opening it with '>' takes back the event's hist triggers, unless others need their variables; '>>' adds one
      enable_hist:SYSTEM:EVENT[:COUNT]    has the hist triggers of an event go on; disable_hist: pauses them
  events/SYSTEM/EVENT/hist      the tables of its hist triggers; hist_debug, which ls does not show: what they are made of
  events/ftrace/print/trigger   the same for writes to trace_marker
  set_event_pid                 only events of these processes, switches to them and wakeups of them
  set_event_notrace_pid         no events of these processes
  error_log                     what was wrong with the last eight filters and their like, and where; '>' clears it
  events/SYSTEM/EVENT/inject    'field=1 other="text"' records an entry as if the event had happened
  dynamic_events
      Create/append/remove/show the generic dynamic events
      All that the next three files show, and eprobes. A line defines an event, or removes some, none of which may be in use:
          p[:[<group>/][<event>]] <place> [<args>]
          r[maxactive][:[<group>/][<event>]] <place> [<args>]
          s:[synthetic/]<event> <field> [<field>]
          e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]
          -:[<group>/][<event>]
          place: [<module>:]<symbol>[+<offset>]|<memaddr>
          place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>
          place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]
          args: <name>=fetcharg[:type]
          fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],
              $stack<index>, $stack, $retval, $comm,
              $arg<N>
              +|-[u]<offset>(<fetcharg>), \\imm-value, \\"imm-string"
          type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,
              b<bit-width>@<bit-offset>/<container-size>, ustring,
              <type>\\[<array-size>\\]
          field: <stype> <name>;
          stype: u8/u16/u32/u64, s8/s16/s32/s64, pid_t,
              char[LENGTH], char[]
      p   at an instruction; %return: when the function returns, as r, of at most maxactive calls under way at a time
      s   an event that hists make; e: when another event happens, if the filter is true of it; -: removes events
          p:mine vfs_read count=$arg3:u32   p vfs_read+OFFSET $stack0   r:ret vfs_read $retval   r20 module:function $retval:s32
          e:opens syscalls.sys_enter_openat name=+0($filename):ustring if flags & 1   -:opens
      '>' removes all, '>>' adds. +8(VALUE) is what is in memory there; +u8(VALUE), ustring: in the program's memory
      b4@2/32: four bits from the second on. There is also the type symstr: a symbol as a string
  synthetic_events
      Create/append/remove/show synthetic events
      A line is what follows 's:' above; '!NAME' removes an event, too:
          echo 'myevent u64 lat; char name[]' >> synthetic_events
  kprobe_events
      Create/append/remove/show the kernel dynamic events
      Those of kprobes: at instructions of the kernel, and at returns of functions
  kprobe_profile                how often each happened, and how often a return could not be waited for
  /sys/kernel/debug/kprobes/list   where probes are; enabled: 0: they do nothing; blacklist: where none can be
  uprobe_events
      Create/append/remove/show the userspace dynamic events
      Those of uprobes: at an offset in a file, in every program that maps it, now or later
          p:mine /bin/ls:0x1234 $stack0   r:ret /bin/ls:0x1234 $retval   p /bin/ls:0x1234(0x5678)
      fetcharg: those of kprobes but $argN and symbols, all in the program's memory; @+OFFSET: what is there in the file
      ref_ctr_offset: where the file has a counter of 16 bits of those who probe it
  uprobe_profile                how often each happened
  hardware_events               with --timing pipeline or caches: what hardware:sample samples, NAME PERIOD in each line
      L1-dcache-load-misses:1000   branch-misses 500   !branch-misses   -:branch-misses: each 1000th, each 500th, no longer
      '>' begins anew, '>>' adds. Samples are taken while hardware:sample is enabled, or has a trigger; ip: the block's
      beginning, period: how many events the sample stands for. The names are those of `emu stat`, of what it calls misses
      hist:keys=ip.sym,event:vals=period   in events/hardware/sample/trigger: the functions that miss
  events/header_page            what a page of the buffer begins with; header_event: what an entry begins with

What is recorded

  tracing_on                1: record, 0: do not. Tracers stay in place. Scripts may call it tracing_enabled, as it was once
  trace                     the recorded events as text; '> trace' empties the buffers
  trace_pipe                the same, but reading takes events out, and waits for more when there are none
  per_cpu/cpuN/trace        those of one CPU
  per_cpu/cpuN/trace_pipe
  per_cpu/cpuN/trace_pipe_raw   the same as pages of the buffer, for programs
  per_cpu/cpuN/stats        how many there are, and how many were overwritten
  snapshot                  the trace as it was at a moment. 1: takes a snapshot, by exchanging the buffers for spare ones
                            0: frees the spare buffers; another number: empties them. Latency tracers need them: EBUSY
  per_cpu/cpuN/snapshot     that of one CPU; snapshot_raw: as pages
  buffer_size_kb            size of the buffer of each CPU; X if they differ
  per_cpu/cpuN/buffer_size_kb   of one CPU
  buffer_total_size_kb      of all CPUs together
  buffer_percent            how much of a CPU's buffer must be written until a poll finds the CPU's pipes readable
  free_buffer               whoever closes it makes the buffers as small as they can be
  trace_clock               the clock that gives events their time; choosing one empties the buffers. Here all of those
                            that count nanoseconds are one, since boot; tai: since 1970
  hwlat_detector/window     hwlat: microseconds from the beginning of one look to that of the next
  hwlat_detector/width      and how long each look is
  hwlat_detector/mode       none: one thread looks, anywhere; round-robin: on the next CPU each time; per-cpu: one on each
  timestamp_mode            events hold the time since the one before
  trace_marker              what is written here appears among the events
  trace_marker_raw          the same for bytes; the first four are a number that says what they are
  printk_formats            texts of trace_printk() and of events, with the addresses that events have instead of them
  saved_cmdlines            which process names are known, by pid
  saved_cmdlines_size       and how many can be
  timing_model              what says how long instructions take, and the CPU that it follows: static; pipeline zen3
  saved_tgids               to which process each thread belongs, as far as record-tgid has seen it

osnoise and timerlat

  osnoise/cpus              the CPUs that have a thread: '0-2,5'
  osnoise/runtime_us        osnoise: how long each sample takes; period_us: from one to the next
  osnoise/timerlat_period_us    timerlat: from one activation to the next
  osnoise/stop_tracing_us   tracing stops when one interruption, or a timer's interrupt, was as late. 0: it does not
  osnoise/stop_tracing_total_us     when a whole sample, or the thread, was
  osnoise/print_stack       timerlat: shows what the interrupt came to, if the thread was as late. 0: never
  osnoise/options           'NAME' turns one on, 'NO_NAME' off; DEFAULTS: what they were

Several traces at once

  instances             'mkdir instances/foo' makes another trace, with buffers, filters, options and a tracer of its
                        own (function or nop); 'rmdir instances/foo' ends it, if nobody has a file of it open

How it is shown

  trace_options         all switches; write a name to turn one on, 'no' and the name to turn it off
  options/NAME          one switch: 1 or 0. Those of tracers that are not current are here too

  print-parent          function: show the caller
  sym-offset            show offsets into functions
  sym-addr              show addresses too
  verbose               with latency-format: show all numbers; without: no header; system calls: the types of arguments
  raw                   show the numbers in events: pid, CPU, time, then those of the event or its type
  hex                   the same as hexadecimal digits
  bin                   the same as bytes
  block                 whoever polls trace_pipe or trace_pipe_raw need not wait: it always is readable
  trace_printk          record what the kernel and its modules write with trace_printk()
  printk-msg-only       show texts of trace_printk() and trace_marker alone
  context-info          show task, CPU and time
  latency-format        show the time since the trace began, and mark long times until the next event
  record-cmd            keep the names of processes that record something
  record-tgid           keep and show to which process each thread belongs
  irq-info              show interrupt and preemption state
  annotate              say where the output of a CPU begins
  overwrite             a full buffer drops its oldest events (off: the newest)
  disable_on_free       closing free_buffer also ends recording
  markers               take writes to trace_marker
  hash-ptr              show pointers in events as numbers that hide the address
  stacktrace            record after each event the calls that led to it
  userstacktrace        the same for calls in user space
  branch                record likely() and unlikely(), too, from the next time on that a tracer is set
  sym-userobj           show these as an offset in the mapped file, if the process still lives
  func_stack_trace      function: record after each function the calls that led to it
  func-no-repeats       function: count calls like the one before on the same CPU, and tell of them once
  pause-on-trace        record nothing while somebody has trace open to read it
  event-fork            children of the processes in set_event_pid and set_event_notrace_pid are put there, too, and
                        processes that have ended are taken out
  function-trace        latency tracers: record functions, too
  display-graph         latency tracers: show them as function_graph does
  blk_classic           blk: show lines as blkparse does; context-info is turned off
  function-fork         children of the processes in set_ftrace_pid and set_ftrace_notrace_pid are put there, too, and
                        processes that have ended are taken out
  funcgraph-cpu         function_graph: show the CPU
  funcgraph-proc        function_graph: show the task
  funcgraph-abstime     function_graph: show the time
  funcgraph-duration    function_graph: show how long a call took
  funcgraph-overhead    function_graph: mark calls that took long: + 10 us, ! 100 us, # 1 ms,
                        * 10 ms, @ 100 ms, $ 1 s
  funcgraph-flat        function_graph: a line for each call and each return, as events have
  funcgraph-tail        function_graph: name the function at its closing brace
  funcgraph-irqs        function_graph: record what interrupts call
  funcgraph-overrun     function_graph: show how many calls were nested too deep to be traced
  sleep-time            function_graph: count the time in which a task did not run
  graph-time            profiles: count the time of called functions
  test_nop_accept       nop: an option that can be set, and does nothing; dmesg says so
  test_nop_refuse       nop: an option that cannot
"""
