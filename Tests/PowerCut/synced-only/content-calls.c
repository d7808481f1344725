/* The intercepted calls that change content, and those that make it durable. */
#include "synced-only.h"

#include <sys/uio.h>

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
            if (flags & O_APPEND) offset = status.st_size - count; /* as pwrite does, too */
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
