/* SPDX-License-Identifier: GPL-2.0-only */
/* false: fails. */
int main(void)
{
	return 1;
}
