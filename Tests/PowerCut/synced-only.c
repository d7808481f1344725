/* synced-only: what a disk would hold after a power cut, kept beside a running program.
 *
 * Preloaded (LD_PRELOAD), it watches the folder SYNCED_ONLY_OF and keeps in SYNCED_ONLY_TO/tree only
 * what the program has made durable. After SIGKILL, `tree` is the folder as a disk without power
 * would show it. The program's own files are written as always; nothing here is seen by it.
 *
 * The model, conservative where file systems differ:
 *   - Content: fsync or fdatasync of any descriptor of a file makes the whole file durable as it is
 *     then. What was written later, or never synced, is lost. A kill during the copy leaves a torn
 *     write, as a disk does.
 *   - A new name is durable once its file was synced (as on ext4, XFS and Btrfs) or its folder was
 *     synced; a name whose file was never synced is then there with what was last synced: nothing.
 *   - Removed and renamed names are durable only when their folder is synced, or, for a rename, when
 *     the file is synced under its new name. Until then the old names hold.
 *   - sync_file_range makes nothing durable (its manual says so). msync(MS_SYNC), syncfs, sync and
 *     O_SYNC or O_DSYNC descriptors do.
 *   - SQLite's -shm files are shared memory and never durable.
 *
 * Limits: one process writes the folder at a time; writes by io_uring, or by stdio into files above
 * 256 KiB, are not seen; a file made by O_TMPFILE is seen from its first write under a name. Before a start, `tree` must equal the folder (the driver copies it).
 *
 * Real syncs are left out: after SIGKILL the page cache is still there, so they would only cost time.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define SMALL (256 * 1024) /* such files are copied whole: stdio writes past us */

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

struct mapping {
    struct mapping *next;
    char *start;
    size_t length;
    struct file *file;
    int descriptor; /* of our own, kept open like `reader` */
};

#define BUCKETS 1024
static struct file *table[BUCKETS];
static struct mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active;
static dev_t device;
static char watched[PATH_MAX], tree[PATH_MAX], inodes[PATH_MAX];
static unsigned long counter;

/* The C library's own functions, past this shim; found when first used, because other libraries'
 * constructors may run before ours. */
static void *past(const char *name, void **place) {
    if (!*place) *place = dlsym(RTLD_NEXT, name);
    return *place;
}
#define REAL(name, ...)                                        \
    ({                                                         \
        static void *place;                                    \
        ((__typeof__(&name))past(#name, &place))(__VA_ARGS__); \
    })

static void fatal(const char *what) {
    fprintf(stderr, "synced-only: %s: %s\n", what, strerror(errno));
    abort(); /* a shadow that is not right would prove nothing */
}

/* ---- Names ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* The part of an absolute path below the watched folder, or NULL. */
static const char *below(const char *path) {
    size_t length = strlen(watched);
    if (strncmp(path, watched, length) != 0) return NULL;
    if (path[length] == '\0') return "";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static bool path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return false;
    path[length] = '\0';
    return true;
}

/* folder/name, or folder when the name is empty. */
static void join(char path[PATH_MAX], const char *folder, const char *name) {
    size_t a = strlen(folder), b = strlen(name);
    if (a + b + 2 > PATH_MAX) fatal("a path is too long");
    memcpy(path, folder, a + 1);
    if (b == 0) return;
    if (a) path[a++] = '/';
    memcpy(path + a, name, b + 1);
}

static void in_tree(char path[PATH_MAX], const char *relative) { join(path, tree, relative); }

static void inode_path(char path[PATH_MAX], const struct file *file) {
    join(path, inodes, file->id);
}

__attribute__((constructor)) static void begin(void) {
    const char *of = getenv("SYNCED_ONLY_OF"), *to = getenv("SYNCED_ONLY_TO");
    struct stat status;
    if (!of || !to) return;
    if (!realpath(of, watched) || stat(watched, &status) != 0) fatal("SYNCED_ONLY_OF");
    device = status.st_dev;
    char base[PATH_MAX];
    if (!realpath(to, base)) fatal("SYNCED_ONLY_TO");
    join(tree, base, "tree");
    join(inodes, base, "inodes");
    mkdir(tree, 0700);
    mkdir(inodes, 0700);
    active = true;
}

/* Absolute path of (folder descriptor, name), its folder resolved; false when there is none. */
static bool absolute(int folder, const char *name, char *path) {
    char joined[PATH_MAX], parent[PATH_MAX];
    if (name[0] == '/' || folder == AT_FDCWD) {
        if (strlen(name) >= sizeof joined) return false;
        strcpy(joined, name);
    } else {
        char base[PATH_MAX];
        if (!path_of(folder, base)) return false;
        join(joined, base, name);
    }
    char *slash = strrchr(joined, '/');
    const char *last = slash ? slash + 1 : joined;
    if (slash) *slash = '\0';
    if (!realpath(slash ? (slash == joined ? "/" : joined) : ".", parent)) return false;
    join(path, parent, last);
    return true;
}

/* ---- Files ------------------------------------------------------------------------------- */

static struct file *known(ino_t inode) {
    for (struct file *file = table[inode % BUCKETS]; file; file = file->next)
        if (file->inode == inode) return file;
    return NULL;
}

/* Forgets an inode whose last name went: its number may come again for another file. */
static void forget(ino_t inode) {
    for (struct file **place = &table[inode % BUCKETS]; *place; place = &(*place)->next)
        if ((*place)->inode == inode) {
            *place = (*place)->next; /* not freed: a mapping may still point at it */
            return;
        }
}

/* A file that is seen for the first time. What the tree holds under its name is its durable state,
 * unless the file was made just now. */
static struct file *meet(ino_t inode, const char *relative, bool made_now) {
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
static struct file *watched_file(int descriptor, struct stat *status) {
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

static void mark(struct file *file, off_t start, off_t end) {
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

static void shorten(struct file *file, off_t size) {
    if (file->shortest < 0 || size < file->shortest) file->shortest = size;
}

/* ---- Making durable ---------------------------------------------------------------------- */

static void copy(int from, int to, off_t start, off_t end) {
    static char buffer[1 << 20]; /* under the lock */
    while (start < end) {
        size_t want = end - start < (off_t)sizeof buffer ? (size_t)(end - start) : sizeof buffer;
        ssize_t got = pread(from, buffer, want, start);
        if (got < 0) fatal("read");
        if (got == 0) return;
        if (REAL(pwrite, to, buffer, (size_t)got, start) != got) fatal("write");
        start += got;
    }
}

static void make_folders(const char *relative) {
    char path[PATH_MAX];
    in_tree(path, relative);
    for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) fatal(path);
        *slash = '/';
    }
}

/* Gives the file its durable name, in one step. */
static void bind_name(const struct file *file, const char *relative) {
    char shadow[PATH_MAX], named[PATH_MAX], fresh[PATH_MAX];
    struct stat a, b;
    inode_path(shadow, file);
    in_tree(named, relative);
    if (stat(shadow, &a) != 0) fatal(shadow);
    if (lstat(named, &b) == 0 && a.st_ino == b.st_ino) return;
    make_folders(relative);
    join(fresh, inodes, "link");
    REAL(unlink, fresh);
    if (link(shadow, fresh) != 0 || REAL(rename, fresh, named) != 0) fatal(named);
}

/* Removes durable names of this file that it no longer has, in its own folder. */
static void drop_old_names(const struct file *file, const char *relative) {
    char shadow[PATH_MAX], folder[PATH_MAX], path[PATH_MAX];
    struct stat a, b;
    inode_path(shadow, file);
    if (stat(shadow, &a) != 0) fatal(shadow);
    if (a.st_nlink <= 2) return; /* the inode store and one name */
    in_tree(folder, relative);
    *strrchr(folder, '/') = '\0';
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        join(path, folder, entry->d_name);
        if (lstat(path, &b) != 0 || b.st_ino != a.st_ino) continue;
        char real[PATH_MAX];
        join(real, watched, path + strlen(tree) + 1);
        if (lstat(real, &b) != 0 || b.st_ino != file->inode) REAL(unlink, path);
    }
    closedir(entries);
}

static int by_start(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void sync_content(struct file *file, int descriptor, const struct stat *status) {
    int from = descriptor;
    if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY) {
        if (file->reader < 0) {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            file->reader = REAL(open, link, O_RDONLY | O_CLOEXEC);
            if (file->reader < 0) fatal("reopen");
        }
        from = file->reader;
    }
    char shadow[PATH_MAX];
    inode_path(shadow, file);
    int to = REAL(open, shadow, O_WRONLY | O_CLOEXEC);
    if (to < 0) fatal(shadow);
    if (file->shortest >= 0 && file->shortest < status->st_size)
        if (REAL(ftruncate, to, file->shortest) != 0) fatal("truncate");
    if (REAL(ftruncate, to, status->st_size) != 0) fatal("truncate");
    fchmod(to, status->st_mode & 07777);
    if (file->whole || file->mapped || status->st_size <= SMALL) {
        copy(from, to, 0, status->st_size);
    } else {
        qsort(file->dirty, file->count, sizeof *file->dirty, by_start);
        off_t done = 0;
        for (size_t i = 0; i < file->count; i++) {
            off_t start = file->dirty[i].start > done ? file->dirty[i].start : done;
            copy(from, to, start, file->dirty[i].end);
            if (file->dirty[i].end > done) done = file->dirty[i].end;
        }
    }
    syscall(SYS_close, to);
    file->count = 0;
    file->shortest = -1;
    file->whole = false;
}

static void sync_file(struct file *file, int descriptor, const struct stat *status) {
    char path[PATH_MAX];
    sync_content(file, descriptor, status);
    if (status->st_nlink == 0 || !path_of(descriptor, path)) return;
    const char *relative = below(path);
    if (!relative || relative[0] == '\0') return;
    bind_name(file, relative);
    drop_old_names(file, relative);
}

/* The names of one folder become durable: new ones, renamed ones, removed ones. */
static void sync_folder(const char *relative) {
    char real[PATH_MAX], shadow[PATH_MAX], path[PATH_MAX];
    join(real, watched, relative);
    in_tree(shadow, relative);
    if (relative[0]) {
        make_folders(relative);
        mkdir(shadow, 0700);
    }
    struct stat status;
    struct dirent *entry;
    DIR *entries = opendir(real);
    if (!entries) fatal(real);
    while ((entry = readdir(entries))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (ends_with(entry->d_name, "-shm")) continue;
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        join(path, relative, entry->d_name);
        if (S_ISDIR(status.st_mode)) {
            char folder[PATH_MAX];
            in_tree(folder, path);
            mkdir(folder, 0700);
        } else if (S_ISREG(status.st_mode)) {
            struct file *file = known(status.st_ino);
            bind_name(file ? file : meet(status.st_ino, path, false), path);
        }
    }
    closedir(entries);
    if (!(entries = opendir(shadow))) fatal(shadow);
    while ((entry = readdir(entries))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        join(path, real, entry->d_name);
        if (lstat(path, &status) == 0) continue;
        join(path, shadow, entry->d_name);
        if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
            REAL(unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
        else
            REAL(unlink, path);
    }
    closedir(entries);
}

static int make_durable(int descriptor) {
    struct stat status;
    if (!active) return fstat(descriptor, &status); /* nothing is watched: only EBADF */
    if (fstat(descriptor, &status) != 0) return -1;
    pthread_mutex_lock(&lock);
    int before = errno;
    if (S_ISDIR(status.st_mode)) {
        char path[PATH_MAX];
        if (path_of(descriptor, path)) {
            const char *relative = below(path);
            if (relative) sync_folder(relative);
        }
    } else {
        struct file *file = watched_file(descriptor, &status);
        if (file) sync_file(file, descriptor, &status);
    }
    errno = before;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void sync_everything(const char *relative) {
    char real[PATH_MAX], path[PATH_MAX];
    struct stat status;
    join(real, watched, relative);
    DIR *entries = opendir(real);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (ends_with(entry->d_name, "-shm")) continue;
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        join(path, relative, entry->d_name);
        if (S_ISDIR(status.st_mode)) {
            sync_everything(path);
        } else if (S_ISREG(status.st_mode)) {
            struct file *file = known(status.st_ino);
            if (!file) file = meet(status.st_ino, path, false);
            if (file->reader < 0) {
                char whole[PATH_MAX];
                join(whole, watched, path);
                file->reader = REAL(open, whole, O_RDONLY | O_CLOEXEC);
            }
            if (file->reader >= 0) sync_content(file, file->reader, &status);
        }
    }
    closedir(entries);
    sync_folder(relative);
}

/* ---- The intercepted calls --------------------------------------------------------------- */

int fsync(int descriptor) { return make_durable(descriptor); }
int fdatasync(int descriptor) { return make_durable(descriptor); }
int sync_file_range(int descriptor, off_t start, off_t length, unsigned flags) {
    (void)descriptor, (void)start, (void)length, (void)flags;
    return 0;
}
int sync_file_range64(int descriptor, off_t start, off_t length, unsigned flags) {
    return sync_file_range(descriptor, start, length, flags);
}

void sync(void) {
    if (!active) return;
    pthread_mutex_lock(&lock);
    sync_everything("");
    pthread_mutex_unlock(&lock);
}

int syncfs(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    if (active && status.st_dev == device) sync();
    return 0;
}

/* Says that `count` bytes were written; the end is `offset` + `count`, or the position when -1. */
static void written(int descriptor, off_t offset, ssize_t count) {
    if (!active || count <= 0) return;
    int before = errno;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == device) {
        pthread_mutex_lock(&lock);
        struct file *file = watched_file(descriptor, &status);
        if (file) {
            int flags = fcntl(descriptor, F_GETFL);
            if (flags & O_APPEND) offset = status.st_size - count; /* so pwrite does on Linux, too */
            if (offset < 0) offset = lseek(descriptor, 0, SEEK_CUR) - count;
            if (flags & O_APPEND || offset < 0) file->whole = true;
            mark(file, offset, offset + count);
            if (flags & O_DSYNC) sync_file(file, descriptor, &status);
        }
        pthread_mutex_unlock(&lock);
    }
    errno = before;
}

static void changed_whole(int descriptor) {
    if (!active) return;
    int before = errno;
    struct stat status;
    pthread_mutex_lock(&lock);
    struct file *file = watched_file(descriptor, &status);
    if (file) file->whole = true;
    pthread_mutex_unlock(&lock);
    errno = before;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    ssize_t done = REAL(write, descriptor, bytes, count);
    written(descriptor, -1, done);
    return done;
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    ssize_t done = REAL(pwrite, descriptor, bytes, count, offset);
    written(descriptor, offset, done);
    return done;
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    ssize_t done = REAL(writev, descriptor, parts, count);
    written(descriptor, -1, done);
    return done;
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    ssize_t done = REAL(pwritev, descriptor, parts, count, offset);
    written(descriptor, offset, done);
    return done;
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return pwritev(descriptor, parts, count, offset);
}
ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    ssize_t done = REAL(pwritev2, descriptor, parts, count, offset, flags);
    written(descriptor, offset, done);
    return done;
}
ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    return pwritev2(descriptor, parts, count, offset, flags);
}
ssize_t copy_file_range(int in, off_t *from, int out, off_t *to, size_t count, unsigned flags) {
    ssize_t done = REAL(copy_file_range, in, from, out, to, count, flags);
    if (done > 0) changed_whole(out);
    return done;
}
ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
    ssize_t done = REAL(sendfile, out, in, offset, count);
    if (done > 0) changed_whole(out);
    return done;
}
ssize_t sendfile64(int out, int in, off_t *offset, size_t count) {
    return sendfile(out, in, offset, count);
}

int ftruncate(int descriptor, off_t size) {
    int result = REAL(ftruncate, descriptor, size);
    struct stat status;
    if (active && result == 0) {
        pthread_mutex_lock(&lock);
        struct file *file = watched_file(descriptor, &status);
        if (file) shorten(file, size);
        pthread_mutex_unlock(&lock);
    }
    return result;
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

/* The watched file that a path names, or NULL. Call with the lock held. */
static struct file *named_file(int folder, const char *name, struct stat *status) {
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

int truncate(const char *name, off_t size) {
    int result = REAL(truncate, name, size);
    struct stat status;
    if (active && result == 0) {
        pthread_mutex_lock(&lock);
        struct file *file = named_file(AT_FDCWD, name, &status);
        if (file) shorten(file, size);
        pthread_mutex_unlock(&lock);
    }
    return result;
}
int truncate64(const char *name, off_t size) { return truncate(name, size); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    int result = REAL(fallocate, descriptor, mode, offset, length);
    if (result == 0) changed_whole(descriptor);
    return result;
}
int fallocate64(int descriptor, int mode, off_t offset, off_t length) {
    return fallocate(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    int result = REAL(posix_fallocate, descriptor, offset, length);
    if (result == 0) changed_whole(descriptor);
    return result;
}
int posix_fallocate64(int descriptor, off_t offset, off_t length) {
    return posix_fallocate(descriptor, offset, length);
}

/* Opening may make a file (whose inode number may have been another's) or empty one. */
static int opened(int folder, const char *name, int flags, mode_t mode) {
    struct stat status;
    bool watching = active && (flags & (O_CREAT | O_TRUNC)) && !(flags & O_PATH);
    bool was_there = false;
    if (watching) {
        pthread_mutex_lock(&lock);
        int before = errno;
        was_there = fstatat(folder, name, &status, 0) == 0;
        if (was_there) named_file(folder, name, &status);
        errno = before;
    }
    int descriptor = REAL(openat, folder, name, flags, mode);
    if (watching) {
        int before = errno;
        char path[PATH_MAX];
        const char *relative;
        if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_dev == device && path_of(descriptor, path) && (relative = below(path)) &&
            !ends_with(path, "-shm")) {
            if (!was_there) {
                forget(status.st_ino);
                if (status.st_nlink > 0) meet(status.st_ino, relative, true);
            } else if (flags & O_TRUNC) {
                struct file *file = watched_file(descriptor, &status);
                if (file) shorten(file, 0);
            }
        }
        errno = before;
        pthread_mutex_unlock(&lock);
    }
    return descriptor;
}

static mode_t mode_of(int flags, va_list *more) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(*more, mode_t) : 0;
}

#define OPEN(name, folder, ...)                     \
    int name(__VA_ARGS__, int flags, ...) {         \
        va_list more;                               \
        va_start(more, flags);                      \
        mode_t mode = mode_of(flags, &more);        \
        va_end(more);                               \
        return opened(folder, path, flags, mode);   \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char *path, int flags) { return opened(folder, path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return opened(folder, path, flags, 0); }
int creat(const char *path, mode_t mode) {
    return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* Removing: the durable name stays until the folder is synced. */
static void removed(const struct stat *status, bool was_watched) {
    if (was_watched && status->st_nlink == 1) forget(status->st_ino);
}

#define REMOVING(folder, path, call)                                        \
    if (!active) return call;                                               \
    struct stat status;                                                     \
    pthread_mutex_lock(&lock);                                              \
    bool was_watched = named_file(folder, path, &status) != NULL;           \
    int result = call;                                                      \
    if (result == 0) removed(&status, was_watched);                         \
    pthread_mutex_unlock(&lock);                                            \
    return result;

int unlink(const char *path) { REMOVING(AT_FDCWD, path, REAL(unlink, path)) }
int unlinkat(int folder, const char *path, int flags) {
    REMOVING(folder, path, REAL(unlinkat, folder, path, flags))
}
int remove(const char *path) { REMOVING(AT_FDCWD, path, REAL(remove, path)) }

#define RENAMING(from_folder, from, to_folder, to, call)                    \
    if (!active) return call;                                               \
    struct stat moved, replaced;                                            \
    pthread_mutex_lock(&lock);                                              \
    named_file(from_folder, from, &moved); /* meet it under its old name */ \
    bool was_watched = named_file(to_folder, to, &replaced) != NULL;        \
    int result = call;                                                      \
    if (result == 0) removed(&replaced, was_watched);                       \
    pthread_mutex_unlock(&lock);                                            \
    return result;

int rename(const char *from, const char *to) {
    RENAMING(AT_FDCWD, from, AT_FDCWD, to, REAL(rename, from, to))
}
int renameat(int a, const char *from, int b, const char *to) {
    RENAMING(a, from, b, to, REAL(renameat, a, from, b, to))
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    if (flags & RENAME_EXCHANGE) return REAL(renameat2, a, from, b, to, flags);
    RENAMING(a, from, b, to, REAL(renameat2, a, from, b, to, flags))
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    void *start = REAL(mmap, address, length, protection, flags, descriptor, offset);
    if (!active || start == MAP_FAILED || descriptor < 0 || !(flags & MAP_SHARED)) return start;
    int before = errno;
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == device) {
        pthread_mutex_lock(&lock);
        struct file *file = watched_file(descriptor, &status);
        struct mapping *mapping = file ? calloc(1, sizeof *mapping) : NULL;
        if (mapping) {
            file->mapped = true;
            *mapping = (struct mapping){mappings, start, length, file, -1};
            mapping->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
            mappings = mapping;
        }
        pthread_mutex_unlock(&lock);
    }
    errno = before;
    return start;
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return mmap(address, length, protection, flags, descriptor, offset);
}

int munmap(void *address, size_t length) {
    pthread_mutex_lock(&lock);
    for (struct mapping *mapping = mappings; mapping; mapping = mapping->next)
        if (mapping->start == address) mapping->length = 0;
    pthread_mutex_unlock(&lock);
    return REAL(munmap, address, length);
}

int msync(void *address, size_t length, int flags) {
    int result = REAL(msync, address, length, flags);
    if (!active || result != 0 || !(flags & MS_SYNC)) return result;
    pthread_mutex_lock(&lock);
    for (struct mapping *mapping = mappings; mapping; mapping = mapping->next) {
        char *start = address;
        struct stat status;
        if (mapping->length && start < mapping->start + mapping->length &&
            mapping->start < start + length && fstat(mapping->descriptor, &status) == 0)
            sync_file(mapping->file, mapping->descriptor, &status);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
