# SPDX-License-Identifier: GPL-2.0-only
# As emu/gdb/emu.gdb: gdb has `catch syscall` only where it takes the ABI for GNU/Linux's.

python
def expect_linux():
    if gdb.selected_inferior().connection is not None:
        gdb.execute("monitor abi linux", False, True)
        gdb.execute("unset tdesc filename")
        gdb.execute("set osabi GNU/Linux")
end

define catch hook-syscall
python expect_linux()
end
