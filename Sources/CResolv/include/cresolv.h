/* TXT records of the DNS, by way of the system's resolver library. */
#ifndef CRESOLV_H
#define CRESOLV_H

enum {
    /* No name server answers, or none knows. */
    CRESOLV_UNREACHABLE = -1,
    /* The answer is not well-formed, or has more than `most` records or more than fits into `out`. */
    CRESOLV_MALFORMED = -2
};

/* The texts at `name`, each as two bytes of length, the higher first, and its strings joined. Returns
   how many, or one of the above; 0 if there are none. Blocks its thread, for about `seconds` where no
   server answers. `server` is an IPv4 address to ask; NULL for the system's. */
int cresolv_texts(
    const char *name,
    const char *server,
    unsigned short port,
    int seconds,
    int most,
    int longest,
    unsigned char *out,
    int size
);

#endif
