#include "clinux.h"
#include <malloc.h>
#include <string.h>

static int overwrites;

void clinux_overwrite_freed_memory(void) { __atomic_store_n(&overwrites, 1, __ATOMIC_RELAXED); }

// As deep as calls of a rule go.
enum { stack_depth = 64 << 10 };

__attribute__((noinline)) void clinux_overwrite_stack(void) {
  volatile unsigned char free_part[stack_depth];
  for (int i = 0; i < stack_depth; i++) free_part[i] = 0;
}

// Sanitizers have an allocator of their own, which keeps freed memory from being used again.
#if !defined(HEARTH_SANITIZED) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

extern void __libc_free(void *);

// Takes the place of the C library's function for the whole program, Swift's runtime and OpenSSL included.
void free(void *memory) {
  if (memory && __atomic_load_n(&overwrites, __ATOMIC_RELAXED)) memset(memory, 0, malloc_usable_size(memory));
  __libc_free(memory);
}

#endif
