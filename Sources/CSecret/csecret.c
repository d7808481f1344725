#include "csecret.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of the stable interfaces of GLib 2 and libsecret 1:
   https://docs.gtk.org/glib/ and https://gnome.pages.gitlab.gnome.org/libsecret/ */
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} Error;

typedef struct List {
    void *data;
    struct List *next, *previous;
} List;

static struct {
    void *(*bus_get)(int, void *, Error **);
    void (*set_exit_on_close)(void *, int);
    void *(*hash_table_new)(void *, void *);
    int (*hash_table_insert)(void *, const void *, const void *);
    void (*hash_table_unref)(void *);
    void *str_hash, *str_equal;
    void (*error_free)(Error *);
    void (*object_unref)(void *);
    void (*list_free)(List *);
    void *(*schema_newv)(const char *, int, void *);
    void *(*service_get)(int, void *, Error **);
    List *(*search)(void *, void *, void *, int, void *, Error **);
    int (*storev)(void *, void *, const char *, const char *, const char *, void *, Error **);
    int (*clearv)(void *, void *, void *, Error **);
    int (*item_get_locked)(void *);
    void *(*item_get_secret)(void *);
    int (*item_set_secret)(void *, void *, void *, Error **);
    void *(*value_new)(const char *, ptrdiff_t, const char *);
    const char *(*value_get)(void *, size_t *);
    void (*value_unref)(void *);
    uint32_t (*error_quark)(void);
    void *schema;
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded = 0;

static void load(void) {
    /* What it depends on is found by way of it. */
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW);
    if (library == NULL) return;
    const struct {
        void *function;
        const char *name;
    } symbols[] = {
        {&lib.bus_get, "g_bus_get_sync"},
        {&lib.set_exit_on_close, "g_dbus_connection_set_exit_on_close"},
        {&lib.hash_table_new, "g_hash_table_new"},
        {&lib.hash_table_insert, "g_hash_table_insert"},
        {&lib.hash_table_unref, "g_hash_table_unref"},
        {&lib.str_hash, "g_str_hash"},
        {&lib.str_equal, "g_str_equal"},
        {&lib.error_free, "g_error_free"},
        {&lib.object_unref, "g_object_unref"},
        {&lib.list_free, "g_list_free"},
        {&lib.schema_newv, "secret_schema_newv"},
        {&lib.service_get, "secret_service_get_sync"},
        {&lib.search, "secret_service_search_sync"},
        {&lib.storev, "secret_password_storev_sync"},
        {&lib.clearv, "secret_password_clearv_sync"},
        {&lib.item_get_locked, "secret_item_get_locked"},
        {&lib.item_get_secret, "secret_item_get_secret"},
        {&lib.item_set_secret, "secret_item_set_secret_sync"},
        {&lib.value_new, "secret_value_new"},
        {&lib.value_get, "secret_value_get"},
        {&lib.value_unref, "secret_value_unref"},
        {&lib.error_quark, "secret_error_get_quark"},
    };
    for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        void *symbol = dlsym(library, symbols[index].name);
        if (symbol == NULL) return;
        memcpy(symbols[index].function, &symbol, sizeof symbol);
    }
    /* One attribute, a text (SECRET_SCHEMA_ATTRIBUTE_STRING, 0). */
    void *attributes = lib.hash_table_new(lib.str_hash, lib.str_equal);
    lib.hash_table_insert(attributes, "account", NULL);
    lib.schema = lib.schema_newv("org.portico.Session", 0, attributes);
    lib.hash_table_unref(attributes);
    is_loaded = lib.schema != NULL;
}

/* Frees `error`. Only libsecret itself speaks of items; all else is about reaching it. */
static int outcome(Error *error) {
    if (error == NULL) return CSECRET_FAILED;
    int result = CSECRET_UNAVAILABLE;
    if (error->domain == lib.error_quark())
        result = error->code == 2 /* SECRET_ERROR_IS_LOCKED */ ? CSECRET_LOCKED : CSECRET_FAILED;
    lib.error_free(error);
    return result;
}

static void *attributes_of(const char *account) {
    void *attributes = lib.hash_table_new(lib.str_hash, lib.str_equal);
    lib.hash_table_insert(attributes, "account", account);
    return attributes;
}

/* CSECRET_DONE if there is an item that is not locked, with `*item` for the caller to release. */
static int find(const char *account, void **item) {
    pthread_once(&once, load);
    if (!is_loaded) return CSECRET_UNAVAILABLE;
    Error *error = NULL;
    void *bus = lib.bus_get(2 /* G_BUS_TYPE_SESSION */, NULL, &error);
    if (bus == NULL) return outcome(error);
    /* Or the end of the D-Bus session would end this process. */
    lib.set_exit_on_close(bus, 0);
    lib.object_unref(bus);
    void *service = lib.service_get(0, NULL, &error);
    if (service == NULL) return outcome(error);
    void *attributes = attributes_of(account);
    /* Not SECRET_SEARCH_UNLOCK, which asks the person. */
    List *found =
        lib.search(service, lib.schema, attributes, 1 << 3 /* LOAD_SECRETS */, NULL, &error);
    lib.hash_table_unref(attributes);
    lib.object_unref(service);
    if (error != NULL) return outcome(error);
    int result = CSECRET_NOTHING;
    for (List *one = found; one != NULL; one = one->next) {
        if (result == CSECRET_NOTHING) {
            result = lib.item_get_locked(one->data) ? CSECRET_LOCKED : CSECRET_DONE;
            if (result == CSECRET_DONE) {
                *item = one->data;
                continue;
            }
        }
        lib.object_unref(one->data);
    }
    lib.list_free(found);
    return result;
}

int csecret_read(const char *account, char **text) {
    void *item = NULL;
    int result = find(account, &item);
    if (result != CSECRET_DONE) return result;
    void *value = lib.item_get_secret(item);
    lib.object_unref(item);
    if (value == NULL) return CSECRET_FAILED;
    size_t length = 0;
    const char *content = lib.value_get(value, &length);
    *text = content == NULL ? NULL : strndup(content, length);
    lib.value_unref(value);
    return *text == NULL ? CSECRET_FAILED : CSECRET_DONE;
}

/* Whether an item may be changed without a question to the person. */
static int check(const char *account) {
    void *item = NULL;
    int result = find(account, &item);
    if (result == CSECRET_DONE) lib.object_unref(item);
    return result;
}

/* Where it is: the default keyring may be another one since. */
static int replace(void *item, const char *text) {
    Error *error = NULL;
    void *value = lib.value_new(text, -1, "text/plain");
    int is_stored = lib.item_set_secret(item, value, NULL, &error);
    lib.value_unref(value);
    lib.object_unref(item);
    return is_stored ? CSECRET_DONE : outcome(error);
}

int csecret_write(const char *account, const char *label, const char *text) {
    void *item = NULL;
    int result = find(account, &item);
    if (result == CSECRET_DONE) return replace(item, text);
    if (result != CSECRET_NOTHING) return result;
    Error *error = NULL;
    void *attributes = attributes_of(account);
    int is_stored = lib.storev(lib.schema, attributes, "default", label, text, NULL, &error);
    lib.hash_table_unref(attributes);
    if (is_stored) return CSECRET_DONE;
    /* Without an error, the person did not unlock it. */
    return error == NULL ? CSECRET_LOCKED : outcome(error);
}

int csecret_remove(const char *account) {
    int result = check(account);
    if (result != CSECRET_DONE) return result;
    Error *error = NULL;
    void *attributes = attributes_of(account);
    lib.clearv(lib.schema, attributes, NULL, &error);
    lib.hash_table_unref(attributes);
    return error == NULL ? CSECRET_DONE : outcome(error);
}
