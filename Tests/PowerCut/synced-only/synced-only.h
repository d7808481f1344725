/* synced-only: what a disk would hold after a power cut, kept beside a running program.
 *
 * Preloaded (LD_PRELOAD), it watches the folder SYNCED_ONLY_OF and keeps in SYNCED_ONLY_TO/tree
 * only what the program has made durable. After SIGKILL, `tree` is the folder as a disk without
 * power would show it. The program's own files are written as always.
 *
 * The model, conservative where file systems differ:
 *   - Content: fsync or fdatasync of any descriptor of a file makes the whole file durable as it
 *     is then. What was written later, or never synced, is lost. A kill during the copy leaves a
 *     torn write, as a disk does.
 *   - A new name is durable once its file was synced (as on ext4, XFS and Btrfs) or its folder
 *     was synced; a file that was never synced is then there, empty.
 *   - Removed and renamed names are durable only when their folder is synced, or, for a rename,
 *     when the file is synced under its new name. Until then the old names hold.
 *   - sync_file_range makes nothing durable (its manual says so). msync(MS_SYNC), syncfs, sync and
 *     O_SYNC or O_DSYNC descriptors do.
 *   - SQLite's -shm files are shared memory and never durable.
 *
 * Limits: one process writes the folder at a time. Writes by io_uring, or by stdio into files
 * above 256 KiB, are not seen; a file made by O_TMPFILE is seen from its first write under a name.
 * Before a start, `tree` must equal the folder (the driver copies it).
 *
 * Real syncs are left out: after SIGKILL the page cache is still there, they would only cost time.
 */
#ifndef SYNCED_ONLY_H
#define SYNCED_ONLY_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct range {
    off_t start, end;
};

/* One watched file, by inode. Its durable content is SYNCED_ONLY_TO/inodes/<id>; durable names in
 * the tree are hard links to that. */
struct file {
    struct file *next;
    ino_t inode;
    char id[64];
    struct range *dirty;
    size_t count, capacity;
    off_t shortest; /* the least size since the last sync, -1: never shortened */
    bool whole;     /* copy everything at the next sync */
    bool mapped;    /* written through shared memory: copy everything at each sync */
    int reader;     /* kept open for ever: closing would drop SQLite's POSIX locks */
};

/* Only the intercepted calls may be seen by the program. */
#pragma GCC visibility push(hidden)

extern pthread_mutex_t lock;                          /* over everything below */
extern bool active;                                   /* a folder is watched */
extern dev_t device;                                  /* of the watched folder */
extern char watched[PATH_MAX], tree[PATH_MAX], inodes[PATH_MAX];

/* names.c: paths of the watched folder and of its shadow */
_Noreturn void fatal(const char *what);
bool ends_with(const char *text, const char *end);
const char *below(const char *path);
bool path_of(int descriptor, char *path);
void join(char path[PATH_MAX], const char *folder, const char *name);
void in_tree(char path[PATH_MAX], const char *relative);
void inode_path(char path[PATH_MAX], const struct file *file);
bool absolute(int folder, const char *name, char *path);

/* files.c: the watched files; with the lock held */
struct file *known(ino_t inode);
void forget(ino_t inode);
struct file *meet(ino_t inode, const char *relative, bool made_now);
struct file *watched_file(int descriptor, struct stat *status);
struct file *named_file(int folder, const char *name, struct stat *status);
void mark(struct file *file, off_t start, off_t end);
void shorten(struct file *file, off_t size);

/* durable.c: content and names reach the shadow; with the lock held, except make_durable */
void sync_file(struct file *file, int descriptor, const struct stat *status);
void sync_folder(const char *relative);
void sync_everything(const char *relative);
int make_durable(int descriptor);

/* The C library's own functions, past this shim; found when first used, because other libraries'
 * constructors may run before ours. */
void *past(const char *name, void **place);
#pragma GCC visibility pop

#define REAL(name, ...)                                        \
    ({                                                         \
        static void *place;                                    \
        ((__typeof__(&name))past(#name, &place))(__VA_ARGS__); \
    })

#endif
