#include "cresolv.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>

/* Longer, a message of the DNS cannot be (RFC 1035 section 4.2.2). */
enum { LONGEST_MESSAGE = 65535 };

typedef __typeof__(*(res_state)0) State;

/* Joins the strings of one record, each after a byte with its length. Returns the length of the text,
   or -1. */
static int join(const unsigned char *data, int length, unsigned char *out, int size) {
    int joined = 0;
    while (length > 0) {
        int part = *data;
        if (part > length - 1 || part > size - joined) return -1;
        memcpy(out + joined, data + 1, (size_t)part);
        joined += part;
        data += part + 1;
        length -= part + 1;
    }
    return joined;
}

static int read_texts(
    const unsigned char *answer, int length, int most, int longest, unsigned char *out, int size
) {
    ns_msg message;
    if (ns_initparse(answer, length, &message) < 0) return CRESOLV_MALFORMED;
    int count = 0;
    for (int index = 0; index < ns_msg_count(message, ns_s_an); index += 1) {
        ns_rr record;
        if (ns_parserr(&message, ns_s_an, index, &record) < 0) return CRESOLV_MALFORMED;
        /* What leads to another name stands among the answers, too. */
        if (ns_rr_type(record) != ns_t_txt || ns_rr_class(record) != ns_c_in) continue;
        if (count == most || size < 2) return CRESOLV_MALFORMED;
        int room = size - 2 < longest ? size - 2 : longest;
        int joined = join(ns_rr_rdata(record), ns_rr_rdlen(record), out + 2, room);
        if (joined < 0) return CRESOLV_MALFORMED;
        out[0] = (unsigned char)(joined >> 8);
        out[1] = (unsigned char)(joined & 0xff);
        out += joined + 2;
        size -= joined + 2;
        count += 1;
    }
    return count;
}

static int ask(
    State *state, const char *name, int most, int longest, unsigned char *out, int size
) {
    unsigned char *answer = malloc(LONGEST_MESSAGE);
    if (!answer) return CRESOLV_UNREACHABLE;
    int length = res_nquery(state, name, ns_c_in, ns_t_txt, answer, LONGEST_MESSAGE);
    int result;
    if (length > LONGEST_MESSAGE) {
        result = CRESOLV_MALFORMED;
    } else if (length >= 0) {
        result = read_texts(answer, length, most, longest, out, size);
    } else {
        int is_none = state->res_h_errno == HOST_NOT_FOUND || state->res_h_errno == NO_DATA;
        result = is_none ? 0 : CRESOLV_UNREACHABLE;
    }
    free(answer);
    return result;
}

int cresolv_texts(
    const char *name,
    const char *server,
    unsigned short port,
    int seconds,
    int most,
    int longest,
    unsigned char *out,
    int size
) {
    State state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return CRESOLV_UNREACHABLE;
    /* Each server is asked twice. */
    state.retry = 2;
    state.retrans = seconds / 2 > 0 ? seconds / 2 : 1;
    int result = CRESOLV_UNREACHABLE;
    if (!server) {
        result = ask(&state, name, most, longest, out, size);
    } else {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        if (inet_pton(AF_INET, server, &address.sin_addr) == 1) {
            state.nscount = 1;
            state.nsaddr_list[0] = address;
            result = ask(&state, name, most, longest, out, size);
        }
    }
#ifdef __APPLE__
    res_ndestroy(&state);
#else
    res_nclose(&state);
#endif
    return result;
}
