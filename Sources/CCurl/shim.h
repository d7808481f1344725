#include <curl/curl.h>
#include <dlfcn.h>

#ifndef RTLD_DEFAULT
#define RTLD_DEFAULT ((void *)0)
#endif

/* Swift cannot call C functions with a variable number of arguments, and libcurl takes each option by
 * one. One function here for each type that an option has. */

/* On any thread, since 7.84; a second call only counts. */
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

/* TLS for a protocol that begins without, or an end: "all" does not go on in the clear. Newer headers
 * define the values as numbers, older ones as an enumeration. */
static inline int portico_curl_start_tls(CURL *handle, int is_required) {
    return curl_easy_setopt(
        handle, CURLOPT_USE_SSL, (long)(is_required ? CURLUSESSL_ALL : CURLUSESSL_NONE)
    ) == CURLE_OK;
}

/* Nothing but one protocol, whatever an address says. The option has another type since 7.85. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define PORTICO_CURL_ONLY(handle, names, bits) \
    (curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, names) == CURLE_OK)
#else
#define PORTICO_CURL_ONLY(handle, names, bits) \
    (curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(bits)) == CURLE_OK)
#endif

static inline int portico_curl_smtp_only(CURL *handle) {
    return PORTICO_CURL_ONLY(handle, "smtp,smtps", CURLPROTO_SMTP | CURLPROTO_SMTPS);
}

static inline int portico_curl_https_only(CURL *handle) {
    return PORTICO_CURL_ONLY(handle, "https", CURLPROTO_HTTPS);
}

static inline int portico_curl_http_only(CURL *handle) {
    return PORTICO_CURL_ONLY(handle, "http", CURLPROTO_HTTP);
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

/* The body of a request, which is copied. */
static inline int portico_curl_post(CURL *handle, const void *body, long long size) {
    return curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, size > 0 ? (const char *)body : "")
            == CURLE_OK;
}

/* The same, of a body that is read while it is sent: `read` gets `context`. */
static inline int portico_curl_upload(
    CURL *handle, void *context, long long size, portico_curl_bytes read
) {
    return curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_READFUNCTION, read) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_READDATA, context) == CURLE_OK;
}

typedef int (*portico_curl_prerequest)(void *, char *, char *, int, int);

/* `context` is what the three functions get. */
static inline int portico_curl_exchange(
    CURL *handle, void *context, portico_curl_bytes header, portico_curl_bytes body,
    portico_curl_prerequest prerequest
) {
    return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, prerequest) == CURLE_OK
        && curl_easy_setopt(handle, CURLOPT_PREREQDATA, context) == CURLE_OK;
}

/* SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY), of the OpenSSL that libcurl has loaded. */
static inline CURLcode portico_curl_no_retry(CURL *handle, void *context, void *unused) {
    (void)handle;
    (void)unused;
    long (*control)(void *, int, long, void *) =
        (long (*)(void *, int, long, void *))dlsym(RTLD_DEFAULT, "SSL_CTX_ctrl");
    if (control) control(context, 78, 4, NULL);
    return CURLE_OK;
}

/* OpenSSL would read on for as long as a peer sends records without content, such as updates of keys.
 * So it returns after each. */
static inline int portico_curl_in_turns(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, portico_curl_no_retry) == CURLE_OK;
}

/* Whether a connection came about. */
static inline int portico_curl_is_connected(CURL *handle) {
    curl_off_t time = 0;
    return curl_easy_getinfo(handle, CURLINFO_CONNECT_TIME_T, &time) == CURLE_OK && time > 0;
}

/* Whether libcurl knows a file with the roots that the system trusts. */
static inline int portico_curl_has_bundle(void) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info && info->age >= CURLVERSION_EIGHTH && info->cainfo;
}

static inline int portico_curl_multi_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number) == CURLM_OK;
}
