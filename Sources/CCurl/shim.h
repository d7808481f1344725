#include <curl/curl.h>

/* Swift cannot call C functions with a variable number of arguments, and libcurl takes each option by
 * one. One function here for each type that an option has. */

static inline int portico_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static inline int portico_curl_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text) == CURLE_OK;
}

static inline int portico_curl_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number) == CURLE_OK;
}

static inline int portico_curl_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list) == CURLE_OK;
}

static inline int portico_curl_size(CURL *handle, long long size) {
    return curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size) == CURLE_OK;
}

/* Nothing but SMTP, whatever an address says. The option has another type since 7.85. */
static inline int portico_curl_smtp_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps") == CURLE_OK;
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS))
        == CURLE_OK;
#endif
}

typedef size_t (*portico_curl_bytes)(char *, size_t, size_t, void *);
typedef int (*portico_curl_progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

/* `context` is what the three functions get. */
static inline int portico_curl_callbacks(
    CURL *handle, void *context, portico_curl_bytes read, portico_curl_bytes header,
    portico_curl_bytes discard, portico_curl_progress progress
) {
    return curl_easy_setopt(handle, CURLOPT_READFUNCTION, read) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_READDATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, discard) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) == CURLE_OK;
}
