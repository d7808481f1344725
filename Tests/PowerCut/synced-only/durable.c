/* Content and names reach the shadow: the model of synced-only.h. */
#include "synced-only.h"

#include <dirent.h>
#include <sys/syscall.h>

#define SMALL (256 * 1024) /* such files are copied whole: stdio writes past us */

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

void sync_file(struct file *file, int descriptor, const struct stat *status) {
    char path[PATH_MAX];
    sync_content(file, descriptor, status);
    if (status->st_nlink == 0 || !path_of(descriptor, path)) return;
    const char *relative = below(path);
    if (!relative || relative[0] == '\0') return;
    bind_name(file, relative);
    drop_old_names(file, relative);
}

/* The names of one folder become durable: new ones, renamed ones, removed ones. */
void sync_folder(const char *relative) {
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

int make_durable(int descriptor) {
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

void sync_everything(const char *relative) {
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
