/* synchronous-off: turns every `PRAGMA synchronous` of a program into OFF, by preloading.
 *
 * The power-cut check must fail when SQLite does not sync; this makes an unmodified program do so.
 * A text for sqlite3_exec that begins with other statements is left as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

static const char off[] = "PRAGMA synchronous = OFF";

/* The length of the first statement of a text when it is a PRAGMA synchronous, else 0. Semicolons
 * inside literals do not matter: a PRAGMA synchronous has none. */
static size_t synchronous_statement(const char *sql, int length) {
    if (!sql) return 0;
    size_t all = length < 0 ? strlen(sql) : strnlen(sql, (size_t)length);
    size_t start = strspn(sql, " \t\r\n;");
    if (start >= all || strncasecmp(sql + start, "pragma", 6) != 0) return 0;
    const char *semicolon = memchr(sql + start, ';', all - start);
    size_t end = semicolon ? (size_t)(semicolon - sql) + 1 : all;
    const char *word = strcasestr(sql + start, "synchronous");
    return word && word < sql + end ? end : 0;
}

/* The library's own function, also where SQLite came in late by dlopen. */
static void *past(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        void *library = dlopen("libsqlite3.so.0", RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    if (!found) abort();
    return found;
}

/* SQLite's own sqlite3_exec prepares inside the library, past us: so statement by statement. */
int sqlite3_exec(sqlite3 *database, const char *sql, int (*row)(void *, int, char **, char **),
                 void *context, char **message) {
    __typeof__(&sqlite3_exec) real = past("sqlite3_exec");
    size_t length = synchronous_statement(sql, -1);
    if (length == 0) return real(database, sql, row, context, message);
    int result = real(database, off, NULL, NULL, message);
    return result ? result : sqlite3_exec(database, sql + length, row, context, message);
}

#define PREPARE(name, extra, ...)                                                             \
    int name(sqlite3 *database, const char *sql, int length, __VA_ARGS__ sqlite3_stmt **made, \
             const char **tail) {                                                             \
        __typeof__(&name) real = past(#name);                                                 \
        size_t first = synchronous_statement(sql, length);                                    \
        if (first == 0) return real(database, sql, length, extra made, tail);                 \
        int result = real(database, off, -1, extra made, NULL);                               \
        if (tail) *tail = sql + first;                                                        \
        return result;                                                                        \
    }
#define COMMA ,
PREPARE(sqlite3_prepare, , )
PREPARE(sqlite3_prepare_v2, , )
PREPARE(sqlite3_prepare_v3, flags COMMA, unsigned flags COMMA)

/* A program that never says how to sync gets FULL by default: OFF from the start. */
int sqlite3_open_v2(const char *file, sqlite3 **database, int flags, const char *system) {
    __typeof__(&sqlite3_open_v2) real = past("sqlite3_open_v2");
    int result = real(file, database, flags, system);
    if (result == 0) {
        __typeof__(&sqlite3_exec) exec = past("sqlite3_exec");
        exec(*database, off, NULL, NULL, NULL);
    }
    return result;
}
