/* The watched files by inode, and what of each was written since its last sync. */
#include "synced-only.h"

#include <sys/syscall.h>

#define BUCKETS 1024
static struct file *table[BUCKETS];
static unsigned long counter;

struct file *known(ino_t inode) {
    for (struct file *file = table[inode % BUCKETS]; file; file = file->next)
        if (file->inode == inode) return file;
    return NULL;
}

/* Forgets an inode without a name: its number may be reused for another file. */
void forget(ino_t inode) {
    for (struct file **place = &table[inode % BUCKETS]; *place; place = &(*place)->next)
        if ((*place)->inode == inode) {
            *place = (*place)->next; /* not freed: a mapping may still point at it */
            return;
        }
}

/* A file that is seen for the first time. What the tree holds under its name is its durable state,
 * unless the file was made just now. */
struct file *meet(ino_t inode, const char *relative, bool made_now) {
    struct file *file = calloc(1, sizeof *file);
    if (!file) fatal("memory");
    char shadow[PATH_MAX], named[PATH_MAX];
    file->inode = inode;
    file->reader = -1;
    file->shortest = -1;
    snprintf(file->id, sizeof file->id, "%d-%lu", (int)getpid(), ++counter);
    inode_path(shadow, file);
    in_tree(named, relative);
    if (made_now || link(named, shadow) != 0) {
        int made = REAL(open, shadow, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (made < 0) fatal(shadow);
        syscall(SYS_close, made);
        file->whole = true;
    }
    file->next = table[inode % BUCKETS];
    table[inode % BUCKETS] = file;
    return file;
}

/* The watched file behind a descriptor, or NULL. Call with the lock held. */
struct file *watched_file(int descriptor, struct stat *status) {
    if (fstat(descriptor, status) != 0 || !S_ISREG(status->st_mode) || status->st_dev != device)
        return NULL;
    struct file *file = known(status->st_ino);
    if (file) return file;
    char path[PATH_MAX];
    if (status->st_nlink == 0 || !path_of(descriptor, path)) return NULL;
    const char *relative = below(path);
    if (!relative || ends_with(path, "-shm")) return NULL;
    return meet(status->st_ino, relative, false);
}

void mark(struct file *file, off_t start, off_t end) {
    if (end <= start || file->whole) return;
    struct range *last = file->count ? &file->dirty[file->count - 1] : NULL;
    if (last && start <= last->end && end >= last->start) {
        if (start < last->start) last->start = start;
        if (end > last->end) last->end = end;
        return;
    }
    if (file->count == file->capacity) {
        size_t capacity = file->capacity ? file->capacity * 2 : 16;
        struct range *grown = realloc(file->dirty, capacity * sizeof *grown);
        if (!grown) fatal("memory");
        file->dirty = grown;
        file->capacity = capacity;
    }
    file->dirty[file->count++] = (struct range){start, end};
}

void shorten(struct file *file, off_t size) {
    if (file->shortest < 0 || size < file->shortest) file->shortest = size;
}

/* The watched file that a path names, or NULL. Call with the lock held. */
struct file *named_file(int folder, const char *name, struct stat *status) {
    char path[PATH_MAX];
    if (fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status->st_mode) ||
        status->st_dev != device)
        return NULL;
    struct file *file = known(status->st_ino);
    if (file) return file;
    if (!absolute(folder, name, path)) return NULL;
    const char *relative = below(path);
    if (!relative || ends_with(path, "-shm")) return NULL;
    return meet(status->st_ino, relative, false);
}
