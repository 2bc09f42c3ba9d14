# SPDX-License-Identifier: GPL-2.0-only
"""gdb's own tests, on programs in a guest: a board for DejaGnu, which tests there are, and running them.

The tests come from gdb's sources (Debian: `apt-get source gdb`), which are not part of this project.
"""
