# SPDX-License-Identifier: GPL-2.0-only
# Builds modules from a folder anywhere, as `make M=FOLDER modules` of Linux does:
#
#   make -f module.mk ARCH=ARCH M=FOLDER obj=FOLDER kernel=VMLINUX built=FOLDER
#
# A Kbuild or Makefile in the folder says which modules there are, and of which
# parts: `obj-m := hello.o`, `hello-y := main.o asm.o`. Without one, all sources of
# the folder are one module of the folder's name. `obj` gets NAME.ko. `kernel` and
# the modules in `built` export what a module may use.

kbuild		:= $(firstword $(wildcard $(M)/Kbuild $(M)/Makefile))
KERNELRELEASE	:= 6.1.0-emu
src		:= $(M)
ifneq ($(kbuild),)
include $(kbuild)
endif

WERROR		:=
include compile.mk

CFLAGS		+= -ffile-prefix-map=$(M)=. $(ccflags-y)
ASFLAGS		+= $(asflags-y)
MODFLAGS	+= -I $(M)

sources		:= $(notdir $(wildcard $(M)/*.c $(M)/*.S))
ifeq ($(strip $(obj-m)),)
obj-m		:= $(notdir $(M)).o
$(notdir $(M))-y := $(addsuffix .o,$(sort $(basename $(sources))))
endif
names		:= $(basename $(obj-m))
parts		= $(sort $(filter %.o,$($(1)-y) $($(1)-objs)))

modules: $(names:%=$(obj)/%.ko)

# Says which compiler it takes.
compiler:
	$(info $(CC))

$(obj)/parts/%.o: $(M)/%.c
	$(compile_module_c)

$(obj)/parts/%.o: $(M)/%.S $(offsets)
	$(compile_module_asm)

define module
$(obj)/$(1).o: $(addprefix $(obj)/parts/,$(or $(call parts,$(1)),$(1).o))
	$$(join_parts)
endef
$(foreach name,$(names),$(eval $(call module,$(name))))

$(obj)/modules.dep: $(names:%=$(obj)/%.o)
	@$(modpost) --kernel $(kernel) --built $(wildcard $(built)/*.ko) --out $(obj) $^

$(obj)/%.mod.c: $(obj)/modules.dep ;

$(obj)/%.mod.o: $(obj)/%.mod.c
	$(compile_module_description)

$(obj)/%.ko: $(obj)/%.o $(obj)/%.mod.o
	$(link_module)

.PHONY: modules compiler
.DELETE_ON_ERROR:
.SECONDARY:
