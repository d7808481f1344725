/* Shared memory: a mapped file may change at any time, so each sync copies it whole. */
#include "synced-only.h"

#include <sys/mman.h>

struct mapping {
    struct mapping *next;
    char *start;
    size_t length;
    struct file *file;
    int descriptor; /* of our own, kept open like `reader` */
};
static struct mapping *mappings;

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
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor,
             off_t offset) {
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
