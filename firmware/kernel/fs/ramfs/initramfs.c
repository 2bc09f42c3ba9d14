/* SPDX-License-Identifier: GPL-2.0-only */
/* Unpacks the initramfs, a cpio archive in "newc" format, into "/". */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/string.h>
#include <emu/boot_params.h>

#define CPIO_MAGIC	"070701"
#define CPIO_TRAILER	"TRAILER!!!"
#define CPIO_ALIGN	4

/* Thirteen numbers of eight hexadecimal digits follow the magic. */
enum cpio_field {
	C_INO, C_MODE, C_UID, C_GID, C_NLINK, C_MTIME, C_FILESIZE,
	C_MAJ, C_MIN, C_RMAJ, C_RMIN, C_NAMESIZE, C_CHKSUM, C_FIELDS
};

#define CPIO_HEADER_SIZE	(sizeof(CPIO_MAGIC) - 1 + 8 * C_FIELDS)

struct cpio_entry {
	u32		field[C_FIELDS];
	const char	*name;		/* NUL-terminated */
	const char	*data;
};

static bool __init parse_hex(const char *digits, u32 *value)
{
	*value = 0;
	for (int i = 0; i < 8; i++) {
		char c = digits[i];
		int digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			digit = c - 'A' + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

/* Returns where the next entry starts in the archive, 0 if it is broken. */
static size_t __init parse_entry(const char *archive, size_t size, size_t at,
				 struct cpio_entry *entry)
{
	const char *header = archive + at;
	size_t data, end;

	if (size - at < CPIO_HEADER_SIZE ||
	    memcmp(header, CPIO_MAGIC, sizeof(CPIO_MAGIC) - 1))
		return 0;
	for (int i = 0; i < C_FIELDS; i++)
		if (!parse_hex(header + sizeof(CPIO_MAGIC) - 1 + 8 * i,
			       &entry->field[i]))
			return 0;
	entry->name = header + CPIO_HEADER_SIZE;
	data = ALIGN(at + CPIO_HEADER_SIZE + entry->field[C_NAMESIZE],
		     CPIO_ALIGN);
	end = ALIGN(data + entry->field[C_FILESIZE], CPIO_ALIGN);
	if (!entry->field[C_NAMESIZE] || data > size ||
	    entry->field[C_FILESIZE] > size - data ||
	    entry->name[entry->field[C_NAMESIZE] - 1])
		return 0;
	entry->data = archive + data;
	return min(end, size);
}

static int __init do_file(const struct cpio_entry *entry)
{
	size_t size = entry->field[C_FILESIZE];
	struct file *file;
	loff_t pos = 0;
	ssize_t written;

	file = filp_open(entry->name, O_WRONLY | O_CREAT | O_TRUNC,
			 entry->field[C_MODE] & S_IALLUGO);
	if (IS_ERR(file))
		return PTR_ERR(file);
	written = kernel_write(file, entry->data, size, &pos);
	fput(file);
	if (written < 0)
		return written;
	return written == size ? 0 : -ENOSPC;
}

/* A link's data is its text, which has no NUL. */
static int __init do_symlink(struct inode *dir, struct dentry *dentry,
			     const struct cpio_entry *entry)
{
	static char text[PATH_MAX] __initdata;

	if (entry->field[C_FILESIZE] >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(text, entry->data, entry->field[C_FILESIZE]);
	text[entry->field[C_FILESIZE]] = '\0';
	return vfs_symlink(dir, dentry, text);
}

/* Directories, links and devices. What exists already is left as it is. */
static int __init do_node(const struct cpio_entry *entry)
{
	umode_t mode = entry->field[C_MODE];
	struct dentry *dentry;
	struct inode *dir;
	struct path path;
	int err;

	dentry = kern_path_create(entry->name, &path, LOOKUP_DIRECTORY);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry) == -EEXIST ? 0 : PTR_ERR(dentry);
	dir = d_inode(path.dentry);
	if (S_ISDIR(mode))
		err = vfs_mkdir(dir, dentry, mode & S_IALLUGO);
	else if (S_ISLNK(mode))
		err = do_symlink(dir, dentry, entry);
	else
		err = vfs_mknod(dir, dentry, mode,
				MKDEV(entry->field[C_RMAJ],
				      entry->field[C_RMIN]));
	done_path_create(&path, dentry);
	return err;
}

static void __init unpack_to_rootfs(const char *archive, size_t size)
{
	struct cpio_entry entry;
	size_t at = 0;
	int err;

	for (;;) {
		at = parse_entry(archive, size, at, &entry);
		if (!at)
			panic("initramfs: broken archive");
		if (!strcmp(entry.name, CPIO_TRAILER))
			return;
		err = S_ISREG(entry.field[C_MODE]) ? do_file(&entry) :
						     do_node(&entry);
		if (err)
			panic("initramfs: %s: error %d", entry.name, err);
	}
}

/* Frees the whole pages of the archive: the files have their own. */
static void __init free_initrd_mem(phys_addr_t start, phys_addr_t end)
{
	start = ALIGN(start, PAGE_SIZE);
	for (; start + PAGE_SIZE <= end; start += PAGE_SIZE)
		free_reserved_page(phys_to_page(start));
}

void __init populate_rootfs(void)
{
	phys_addr_t start = boot_params.initrd_start;
	size_t size = boot_params.initrd_size;

	if (!size)
		panic("initramfs: none");
	unpack_to_rootfs(__va(start), size);
	free_initrd_mem(start, start + size);
}
