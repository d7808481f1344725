/* The intercepted calls that make, rename and remove names. */
#include "synced-only.h"

#include <stdarg.h>

/* Opening may create a file (with a reused inode number) or empty one. */
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
