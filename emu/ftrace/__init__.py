# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace.

Its modules, from the requests of users down to native code:

    tracefs                 files: what users write and read
    trace_array             what one trace instance is asked to do
    ftrace                  call sites, for all instances; ops: what one of them wants of the sites
    recorder                the buffers of one instance; array_records: what native code is told of it
    sites, patching         the sites, and how they are changed under running CPUs
    ring_buffer, events     the buffer of one CPU, and what is in it
    native                  what happens at each traced call, compiled
    text                    the lines of a trace
"""
