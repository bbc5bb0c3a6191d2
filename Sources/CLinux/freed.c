#include "clinux.h"
#include <malloc.h>
#include <string.h>

static int overwrites;

void clinux_overwrite_freed_memory(void) { __atomic_store_n(&overwrites, 1, __ATOMIC_RELAXED); }

// As deep as calls of a rule go.
enum { stack_depth = 64 << 10 };

__attribute__((noinline)) void clinux_overwrite_stack(void) {
  unsigned char free_part[stack_depth];
  memset(free_part, 0, sizeof free_part);
  // Without a reader of the array, the compiler would leave out memset.
  __asm__ volatile("" : : "r"(free_part) : "memory");
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
