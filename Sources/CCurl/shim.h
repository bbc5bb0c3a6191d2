#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not import: one function for each kind of value.
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_reader(CURL *handle, curl_read_callback reader, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : code;
}
static inline CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}
static inline CURLcode ccurl_set_header_writer(CURL *handle, curl_write_callback writer, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, writer);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}
static inline CURLcode ccurl_set_observer(CURL *handle, curl_debug_callback observer, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, observer);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_DEBUGDATA, context);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_VERBOSE, 1L) : code;
}
static inline long ccurl_status(CURL *handle) {
  long status = 0;
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}
