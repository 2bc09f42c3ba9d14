/* SPDX-License-Identifier: GPL-2.0-only */
/* true: succeeds. */
int main(void)
{
	return 0;
}
