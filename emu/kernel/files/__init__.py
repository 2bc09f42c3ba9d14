# SPDX-License-Identifier: GPL-2.0-only
"""Files that the host has and the guest uses: what a file is, the server, and host folders that are shared."""
