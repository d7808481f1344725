/* The Secret Service of a desktop, by way of libsecret, which is loaded when first used. */
#ifndef CSECRET_H
#define CSECRET_H

/* What became of a call. */
enum {
    CSECRET_DONE = 0,
    CSECRET_NOTHING = 1,
    /* The keyring is locked, or the person did not unlock it. */
    CSECRET_LOCKED = 2,
    /* No libsecret, no D-Bus session, or no keyring in it. */
    CSECRET_UNAVAILABLE = 3,
    CSECRET_FAILED = 4
};

/* Each blocks its thread. None asks the person to unlock an item: that is CSECRET_LOCKED. */

/* `*text` is allocated where the result is CSECRET_DONE. */
int csecret_read(const char *account, char **text);
/* The first item of a keyring that is locked makes the system ask the person to unlock it. */
int csecret_write(const char *account, const char *label, const char *text);
int csecret_remove(const char *account);

#endif
