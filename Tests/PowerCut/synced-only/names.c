/* Where the watched folder and its shadow are, and the paths in both. */
#include "synced-only.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool active;
dev_t device;
char watched[PATH_MAX], tree[PATH_MAX], inodes[PATH_MAX];

void *past(const char *name, void **place) {
    if (!*place) *place = dlsym(RTLD_NEXT, name);
    return *place;
}

_Noreturn void fatal(const char *what) {
    fprintf(stderr, "synced-only: %s: %s\n", what, strerror(errno));
    abort(); /* a shadow that is not right would prove nothing */
}


bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* The part of an absolute path below the watched folder, or NULL. */
const char *below(const char *path) {
    size_t length = strlen(watched);
    if (strncmp(path, watched, length) != 0) return NULL;
    if (path[length] == '\0') return "";
    return path[length] == '/' ? path + length + 1 : NULL;
}

bool path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return false;
    path[length] = '\0';
    return true;
}

/* folder/name, or folder when the name is empty. */
void join(char path[PATH_MAX], const char *folder, const char *name) {
    size_t a = strlen(folder), b = strlen(name);
    if (a + b + 2 > PATH_MAX) fatal("a path is too long");
    memcpy(path, folder, a + 1);
    if (b == 0) return;
    if (a) path[a++] = '/';
    memcpy(path + a, name, b + 1);
}

void in_tree(char path[PATH_MAX], const char *relative) { join(path, tree, relative); }

void inode_path(char path[PATH_MAX], const struct file *file) {
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

/* Absolute path of (folder descriptor, name), its folder resolved; false if it does not exist. */
bool absolute(int folder, const char *name, char *path) {
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
