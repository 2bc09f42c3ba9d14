# SPDX-License-Identifier: GPL-2.0-only
"""Commands and their complete traces: the first tests to read. tests/README.md lists them.

Each file has a COMMAND as it is typed, and the TRACE as a terminal shows it: the guest's output, then the trace. It also has
one fact about the trace that a witness confirms (tests/lib/witness.py). `./venv python -m tests.traces` records traces anew.
"""
