# SPDX-License-Identifier: GPL-2.0-only
# `make firmware` rebuilds the committed images; using emu does not need it.

ARCHES	:= $(notdir $(wildcard firmware/arch/*))

firmware: $(ARCHES:%=firmware-%)

firmware-%:
	$(MAKE) -C firmware ARCH=$*

.PHONY: firmware

# Minutes of everything that short tests cannot show; ARGS="--part 0.1" for less.
soak:
	./venv python -m tests.images
	firmware/tools/busybox sparc64
	firmware/tools/busybox riscv64
	./venv pytest --long tests/cli/test_userland.py tests/guest/test_userland.py
	./venv pytest --long --timing static
	./venv pytest --long --timing pipeline -k 'not sparc64 and not riscv64'
	./venv pytest --long --timing caches -k 'not sparc64 and not riscv64'
	./venv python -m tests.soak $(ARGS)

# Hours: at which rung the ladder of `emu port check` stops, for each function of a port that is emptied.
soak-ports:
	set -e; for arch in $(ARCHES); do ./venv python -m tests.port.emptied $$arch; done

# What emu changes in running code, and the searches that show that it is safe.
certificates:
	./venv python -m tests.documents.certificates > docs/certificates.md

# An hour: gdb's own tests on programs in a guest. GDB is a folder with gdb's sources; DejaGnu must be there.
gdb-tests:
	./venv python -m tests.gdb.dejagnu $(GDB)/gdb/testsuite > docs/gdb-tests.md

.PHONY: soak soak-ports certificates gdb-tests
