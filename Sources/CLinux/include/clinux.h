#pragma once
// Functions and constants that Swift's Glibc module lacks. _GNU_SOURCE is not defined: types would differ from those in
// other modules' headers.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>

static inline int clinux_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Makes signal `number` add 1 to the eventfd `descriptor`, which must stay open. Returns 0, or -1 with errno set.
int clinux_catch(int number, int descriptor);

// Keeps the calling thread on one processor. Returns 0, or -1 with errno set.
static inline int clinux_pin(unsigned int processor) {
  extern int sched_setaffinity(int, unsigned long, const void *);
  unsigned long mask[16] = {0};
  if (processor < 8 * sizeof mask) mask[processor / (8 * sizeof *mask)] = 1ul << (processor % (8 * sizeof *mask));
  return sched_setaffinity(0, sizeof mask, mask);
}

// Returns the freed memory of all arenas to the kernel: malloc_trim(3).
static inline void clinux_give_back_memory(void) {
  extern int malloc_trim(size_t);
  malloc_trim(0);
}

// From now on memory is overwritten with zeros when it is freed, by whichever part of the program.
void clinux_overwrite_freed_memory(void);

// Overwrites 64 KiB of the calling thread's stack behind the present calls.
void clinux_overwrite_stack(void);

// Limits threads to `count` arenas (M_ARENA_MAX): mallopt(3).
static inline void clinux_limit_arenas(int count) {
  extern int mallopt(int, int);
  mallopt(-8, count);
}

// Returns the number of processors that the calling thread may run on, or -1 with errno set.
static inline int clinux_processor_count(void) {
  extern int sched_getaffinity(int, unsigned long, void *);
  unsigned long mask[16] = {0};
  if (sched_getaffinity(0, sizeof mask, mask) < 0) return -1;
  int count = 0;
  for (int word = 0; word < 16; word++) count += __builtin_popcountl(mask[word]);
  return count;
}

// Returns the user of the process at the other end of a Unix socket, as the kernel noted it, or -1 with errno set:
// SO_PEERCRED, unix(7).
static inline long clinux_peer_user(int descriptor) {
  struct { pid_t process; uid_t user; gid_t group; } peer;
  socklen_t size = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? -1 : (long)peer.user;
}

// recv(2) on a socket with SO_TIMESTAMPNS. Sets `*arrived` to the arrival time of the last packet that bytes were taken
// from, in nanoseconds since 1970, unless the kernel has noted none.
static inline ssize_t clinux_receive(int descriptor, void *bytes, size_t count, long *arrived) {
  char control[CMSG_SPACE(sizeof(struct timespec))];
  struct iovec vector = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t received = recvmsg(descriptor, &message, 0);
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SO_TIMESTAMPNS) continue;
    struct timespec time;
    __builtin_memcpy(&time, CMSG_DATA(header), sizeof time);
    *arrived = time.tv_sec * 1000000000l + time.tv_nsec;
  }
  return received;
}
