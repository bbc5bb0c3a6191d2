#pragma once
#include <stddef.h>

/// A file of the page, embedded in the program.
struct web_file {
  /// Its path in the folder `app`, such as "parts/sheet.js".
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

size_t web_file_count(void);
/// The file at an index below the count.
const struct web_file *web_file_at(size_t index);
