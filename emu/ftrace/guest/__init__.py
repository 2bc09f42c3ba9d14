# SPDX-License-Identifier: GPL-2.0-only
"""What the guest's kernel reports to tracing and asks of it: its command line, its requests, its names and numbers."""
