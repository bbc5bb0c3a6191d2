#define _GNU_SOURCE
#include "steered_clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct offsets {
  volatile int64_t wall, monotonic;
};

// An absolute timer on the monotonic clock, as the program set it.
struct timer {
  int is_armed;
  struct itimerspec wanted;
};

enum { timer_count = 4096, look_interval = 1000000 };

static struct offsets *_Atomic offsets;
static struct timer timers[timer_count];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_begun;

// The kernel itself: looking up the system's functions may ask for the time.
static int real_gettime(clockid_t clock, struct timespec *time) { return (int)syscall(SYS_clock_gettime, clock, time); }

static int real_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
  return (int)syscall(SYS_timerfd_settime, descriptor, flags, value, old);
}

static int64_t ahead(clockid_t clock) {
  if (!offsets) return 0;
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return offsets->wall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return offsets->monotonic;
    default:
      return 0;
  }
}

static struct timespec moved(struct timespec time, int64_t by) {
  int64_t nanoseconds = time.tv_sec * INT64_C(1000000000) + time.tv_nsec + by;
  // Zero would disarm a timer.
  if (nanoseconds < 1) nanoseconds = 1;
  return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

// Sets a timer in the kernel's time; call with the lock held.
static int arm(int descriptor) {
  struct itimerspec value = timers[descriptor].wanted;
  value.it_value = moved(value.it_value, -offsets->monotonic);
  return real_settime(descriptor, TFD_TIMER_ABSTIME, &value, NULL);
}

// Moves the timers when the monotonic clock has been moved.
static void *follow(void *unused) {
  int64_t seen = 0;
  for (;;) {
    struct timespec pause = {0, look_interval};
    nanosleep(&pause, NULL);
    if (offsets->monotonic == seen) continue;
    seen = offsets->monotonic;
    pthread_mutex_lock(&lock);
    for (int descriptor = 0; descriptor < timer_count; descriptor++) {
      if (timers[descriptor].is_armed) arm(descriptor);
    }
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void begin(void) {
  const char *path = getenv("STEERED_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *offsets, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  offsets = memory;
  pthread_t thread;
  pthread_create(&thread, NULL, follow, NULL);
  pthread_detach(thread);
}

// Other libraries may ask for the time before this one's constructor runs, and while `begin` runs. A lock that waits
// for `begin` would wait for itself then.
__attribute__((constructor)) static void begin_once(void) {
  if (!atomic_exchange(&has_begun, 1)) begin();
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  begin_once();
  int result = real_gettime(clock, time);
  if (result == 0) *time = moved(*time, ahead(clock));
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  (void)zone;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// Hearth's loops and its Dispatch queues set absolute timers on the monotonic clock. All others are left alone.
int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
  begin_once();
  if (!offsets || descriptor < 0 || descriptor >= timer_count || !(flags & TFD_TIMER_ABSTIME)) {
    return real_settime(descriptor, flags, value, old);
  }
  pthread_mutex_lock(&lock);
  timers[descriptor].is_armed = value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0;
  timers[descriptor].wanted = *value;
  int result = timers[descriptor].is_armed ? arm(descriptor) : real_settime(descriptor, flags, value, old);
  pthread_mutex_unlock(&lock);
  return result;
}
