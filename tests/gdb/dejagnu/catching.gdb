# SPDX-License-Identifier: GPL-2.0-only
# As emu/gdb/emu.gdb: gdb has `catch syscall` only where it takes the ABI for GNU/Linux's.

define catch hook-syscall
monitor abi linux
unset tdesc filename
set osabi GNU/Linux
end
