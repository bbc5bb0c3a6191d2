#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Swift imports features.h before _GNU_SOURCE is seen: declare what it hides.
static inline int clinux_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
