/* SPDX-License-Identifier: GPL-2.0-only */
/* What the lockup detectors are told, on the command line or later. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/watchdog.h>

#define MAX_THRESH	60	/* seconds */

int watchdog_thresh = 10;
int nmi_watchdog_user_enabled;
int soft_watchdog_user_enabled = 1;
int softlockup_panic;
int hardlockup_panic;

/* "0", "1", "panic" or "nopanic". */
static int __init hardlockup_panic_setup(char *str)
{
	if (!strcmp(str, "panic"))
		hardlockup_panic = 1;
	else if (!strcmp(str, "nopanic"))
		hardlockup_panic = 0;
	else if (!strcmp(str, "0") || !strcmp(str, "1"))
		nmi_watchdog_user_enabled = *str - '0';
	return 1;
}
__setup("nmi_watchdog=", hardlockup_panic_setup);

static int __init watchdog_thresh_setup(char *str)
{
	int thresh;

	if (!get_option(&str, &thresh) || thresh < 0 || thresh > MAX_THRESH)
		return 0;
	watchdog_thresh = thresh;
	return 1;
}
__setup("watchdog_thresh=", watchdog_thresh_setup);

static int __init softlockup_panic_setup(char *str)
{
	return get_option(&str, &softlockup_panic);
}
__setup("softlockup_panic=", softlockup_panic_setup);

static int __init nosoftlockup_setup(char *str)
{
	soft_watchdog_user_enabled = 0;
	return 1;
}
__setup("nosoftlockup", nosoftlockup_setup);

static int __init lockup_detector_init(void)
{
	if (nmi_watchdog_user_enabled)
		lockup_detector_update();
	return 0;
}
late_initcall(lockup_detector_init);
