/* SPDX-License-Identifier: GPL-2.0-only */
/* rmmod MODULE...: unloads modules. */
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <stdio.h>
#include <string.h>

/* Says why a module that is loaded or not cannot be removed; 0 if it can. */
static int cannot_remove(const char *name)
{
	struct module_state state;
	int loaded = find_loaded_module(name, &state);

	if (!loaded)
		kmod_error("Module %s is not currently loaded", name);
	else if (loaded > 0 && state.users[0])
		kmod_error("Module %s is in use by: %s", name, state.users);
	else if (loaded > 0 && state.refcount > 0)
		kmod_error("Module %s is in use", name);
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	char name[MODULE_NAME_MAX];
	int i, failed = 0;

	if (argc < 2) {
		kmod_error("missing module name.");
		return 1;
	}
	for (i = 1; i < argc; i++) {
		module_name_of(argv[i], name);
		if (cannot_remove(name)) {
			failed = 1;
		} else if (delete_module(name, O_NONBLOCK) < 0) {
			kmod_error("could not remove module %s: %s", name,
				   strerror(errno));
			failed = 1;
		}
	}
	return failed;
}
