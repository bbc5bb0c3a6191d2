#include "clinux.h"
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

struct io_uring *clinux_ring_make(unsigned count) {
  struct io_uring *ring = malloc(sizeof *ring);
  if (!ring) return NULL;
  // SUBMIT_ALL, so that one request that is refused does not hold up those behind it. Systems that do not know it
  // (before 5.18) refuse the ring.
  int result = io_uring_queue_init(count, ring, IORING_SETUP_SUBMIT_ALL);
  if (result == 0) return ring;
  free(ring);
  errno = -result;
  return NULL;
}

void clinux_ring_free(struct io_uring *ring) {
  io_uring_queue_exit(ring);
  free(ring);
}

void clinux_ring_add_send(struct io_uring *ring, int descriptor, const void *bytes, size_t count, unsigned tag) {
  struct io_uring_sqe *entry = io_uring_get_sqe(ring);
  // Without MSG_DONTWAIT the system would keep what it cannot send at once, and the bytes with it.
  io_uring_prep_send(entry, descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  entry->user_data = tag;
}

int clinux_ring_submit(struct io_uring *ring) {
  int done = io_uring_submit_and_wait(ring, io_uring_sq_ready(ring));
  return done < 0 ? 0 : done;
}

int clinux_ring_take(struct io_uring *ring, unsigned *tag) {
  struct io_uring_cqe *entry;
  int error;
  do error = io_uring_wait_cqe(ring, &entry);
  while (error == -EINTR);
  // Nobody knows what was sent, then: better to end than to send bytes twice. A ring that works has no such error.
  if (error) abort();
  int result = entry->res;
  *tag = (unsigned)entry->user_data;
  io_uring_cqe_seen(ring, entry);
  return result;
}
