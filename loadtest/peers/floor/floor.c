// A minimal relay over epoll: each message goes to everybody in the room, including the sender. It is the lower bound
// for all others and not a server to use: it trusts its clients.
//
//   floor PORT                 one `send` per delivery; 0 takes a free port and prints it
//   floor PORT --collect       one `send` for all output of a batch of events to a socket
//   floor PORT --journal FILE  as --collect, once all messages of the batch are on disk: rows of a SQLite table

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { READ_BYTES = 256 * 1024, PAYLOAD_LIMIT = 64 * 1024, EVENT_COUNT = 1024 };

struct bytes {
  uint8_t *data;
  size_t count, capacity;
};

struct room {
  struct room *next;
  struct connection **members;
  size_t count, capacity;
  char name[];
};

struct connection {
  int descriptor;
  bool is_dirty, is_write_waiting, is_ended;
  // Its index among the room's members; there is no room before the handshake.
  uint32_t place;
  struct room *room;
  struct connection *next_ended;
  // An incomplete frame or request, and the output that the kernel has not accepted yet.
  struct bytes input, output;
};

static bool collects;
// Both null without a journal.
static sqlite3 *database;
static sqlite3_stmt *insertion;
static int poller;
static struct room *rooms[4096];
static struct connection **dirty;
static size_t dirty_count, dirty_capacity;
static struct connection *ended;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/// Doubles an array until it holds `count` elements.
static void *grow(void *array, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return array;
  if (*capacity == 0) *capacity = 4;
  while (*capacity < count) *capacity *= 2;
  array = realloc(array, *capacity * size);
  if (!array) fail("realloc");
  return array;
}

static void append(struct bytes *bytes, const void *data, size_t count) {
  bytes->data = grow(bytes->data, &bytes->capacity, bytes->count + count, 1);
  memcpy(bytes->data + bytes->count, data, count);
  bytes->count += count;
}

/// Drops the first bytes; an empty buffer takes no memory.
static void drop(struct bytes *bytes, size_t count) {
  bytes->count -= count;
  if (bytes->count > 0) {
    memmove(bytes->data, bytes->data + count, bytes->count);
  } else if (!collects || bytes->capacity > 16 * 1024) {
    free(bytes->data);
    *bytes = (struct bytes){0};
  }
}

// Connections.

/// Ends a connection. It is freed only after the batch of events, which may still refer to it.
static void end(struct connection *connection) {
  if (connection->is_ended) return;
  connection->is_ended = true;
  connection->next_ended = ended;
  ended = connection;
  close(connection->descriptor);
  struct room *room = connection->room;
  if (!room) return;
  struct connection *last = room->members[--room->count];
  room->members[connection->place] = last;
  last->place = connection->place;
}

static void watch(struct connection *connection, int operation) {
  struct epoll_event event = {.data.ptr = connection};
  event.events = EPOLLIN | (connection->is_write_waiting ? EPOLLOUT : 0);
  if (epoll_ctl(poller, operation, connection->descriptor, &event) != 0) fail("epoll_ctl");
}

static ssize_t send_some(struct connection *connection, const void *data, size_t count) {
  ssize_t sent = send(connection->descriptor, data, count, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  if (errno != EAGAIN && errno != EINTR) end(connection);
  return 0;
}

/// Sends waiting output as far as the kernel accepts it.
static void flush(struct connection *connection) {
  struct bytes *output = &connection->output;
  if (output->count > 0) drop(output, send_some(connection, output->data, output->count));
  if (connection->is_ended || connection->is_write_waiting == output->count > 0) return;
  connection->is_write_waiting = output->count > 0;
  watch(connection, EPOLL_CTL_MOD);
}

static void deliver(struct connection *connection, const uint8_t *data, size_t count) {
  if (!collects && connection->output.count == 0) {
    size_t sent = send_some(connection, data, count);
    if (sent == count || connection->is_ended) return;
    append(&connection->output, data + sent, count - sent);
    flush(connection);
    return;
  }
  append(&connection->output, data, count);
  if (!collects || connection->is_dirty) return;
  connection->is_dirty = true;
  dirty = grow(dirty, &dirty_capacity, dirty_count + 1, sizeof *dirty);
  dirty[dirty_count++] = connection;
}

// The journal: the minimum for a server that must not lose messages. It is never trimmed.

static void run(const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK) return;
  fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database));
  exit(1);
}

static void open_journal(const char *path) {
  if (sqlite3_open(path, &database) != SQLITE_OK) fail(path);
  run("PRAGMA journal_mode = WAL");
  run("PRAGMA synchronous = FULL");
  run("CREATE TABLE log (position INTEGER PRIMARY KEY, room TEXT, entry BLOB)");
  sqlite3_prepare_v2(database, "INSERT INTO log (room, entry) VALUES (?, ?)", -1, &insertion, NULL);
}

/// Writes a message in the transaction of this batch.
static void remember(const struct room *room, const uint8_t *payload, size_t count) {
  if (sqlite3_get_autocommit(database)) run("BEGIN");
  sqlite3_bind_text(insertion, 1, room->name, -1, SQLITE_STATIC);
  sqlite3_bind_blob(insertion, 2, payload, count, SQLITE_STATIC);
  if (sqlite3_step(insertion) != SQLITE_DONE) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    exit(1);
  }
  sqlite3_reset(insertion);
}

// Rooms.

static void join(struct connection *connection, const char *name, size_t length) {
  size_t hash = 5381;
  for (size_t index = 0; index < length; index++) hash = hash * 33 + (uint8_t)name[index];
  struct room **slot = &rooms[hash % (sizeof rooms / sizeof *rooms)];
  struct room *room = *slot;
  while (room && (strlen(room->name) != length || memcmp(room->name, name, length) != 0)) room = room->next;
  if (!room) {
    room = calloc(1, sizeof *room + length + 1);
    if (!room) fail("calloc");
    memcpy(room->name, name, length);
    room->next = *slot;
    *slot = room;
  }
  room->members = grow(room->members, &room->capacity, room->count + 1, sizeof *room->members);
  connection->room = room;
  connection->place = room->count;
  room->members[room->count++] = connection;
}

/// Encodes a server's frame: final, unmasked (RFC 6455 §5.2). Returns its length.
static size_t encode(uint8_t *frame, uint8_t opcode, const uint8_t *payload, size_t count) {
  size_t head = 2;
  frame[0] = 0x80 | opcode;
  if (count < 126) {
    frame[1] = count;
  } else if (count <= 0xFFFF) {
    frame[1] = 126;
    frame[2] = count >> 8;
    frame[3] = count;
    head = 4;
  } else {
    frame[1] = 127;
    for (int index = 0; index < 8; index++) frame[2 + index] = (uint64_t)count >> (56 - 8 * index);
    head = 10;
  }
  memcpy(frame + head, payload, count);
  return head + count;
}

/// Takes a whole frame from the front of the bytes. Returns its length, or 0 if more bytes are needed.
static size_t take_frame(struct connection *connection, uint8_t *bytes, size_t count) {
  if (count < 6) return 0;
  size_t head = 2;
  uint64_t length = bytes[1] & 0x7F;
  int width = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (count < head + width + 4) return 0;
  if (width > 0) length = 0;
  for (int index = 0; index < width; index++) length = length << 8 | bytes[head++];
  // Fragments and unmasked frames are not supported: the load generator sends none.
  if (length > PAYLOAD_LIMIT || !(bytes[0] & 0x80) || !(bytes[1] & 0x80)) {
    end(connection);
    return 0;
  }
  if (count < head + 4 + length) return 0;
  uint8_t *payload = bytes + head + 4;
  uint64_t mask;
  memcpy(&mask, bytes + head, 4);
  mask |= mask << 32;
  size_t index = 0;
  for (; index + 8 <= length; index += 8) {
    uint64_t word;
    memcpy(&word, payload + index, 8);
    word ^= mask;
    memcpy(payload + index, &word, 8);
  }
  for (; index < length; index++) payload[index] ^= bytes[head + index % 4];

  static uint8_t frame[PAYLOAD_LIMIT + 10];
  switch (bytes[0] & 0x0F) {
    case 1: {
      size_t size = encode(frame, 1, payload, length);
      struct room *room = connection->room;
      if (database) remember(room, payload, length);
      // Backwards: a lost member is replaced by one that has been served.
      for (size_t member = room->count; member-- > 0;) deliver(room->members[member], frame, size);
      break;
    }
    case 8: end(connection); break;
    case 9: deliver(connection, frame, encode(frame, 10, payload, length)); break;
  }
  return head + 4 + length;
}

/// Takes the opening handshake (RFC 6455 §4.2) and answers it. Returns its length, or 0 if more bytes are needed.
static size_t take_request(struct connection *connection, const uint8_t *bytes, size_t count) {
  const char *text = (const char *)bytes;
  const char *stop = memmem(text, count, "\r\n\r\n", 4);
  if (!stop) return 0;
  size_t size = stop + 4 - text;
  char request[4096];
  if (size >= sizeof request) {
    end(connection);
    return 0;
  }
  memcpy(request, text, size);
  request[size] = 0;
  const char *name = request + strlen("GET /room/");
  const char *key = strcasestr(request, "\r\nsec-websocket-key:");
  if (strncmp(request, "GET /room/", strlen("GET /room/")) != 0 || !key) {
    end(connection);
    return 0;
  }
  key += strlen("\r\nsec-websocket-key:");
  key += strspn(key, " ");
  char joined[256];
  int length = snprintf(joined, sizeof joined, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
                        (int)strcspn(key, " \r"), key);
  uint8_t digest[SHA_DIGEST_LENGTH], accept[32];
  SHA1((uint8_t *)joined, length, digest);
  EVP_EncodeBlock(accept, digest, sizeof digest);
  char answer[256];
  length = snprintf(answer, sizeof answer,
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Accept: %s\r\n\r\n",
                    accept);
  join(connection, name, strcspn(name, " "));
  deliver(connection, (uint8_t *)answer, length);
  return size;
}

static void receive(struct connection *connection) {
  static uint8_t buffer[READ_BYTES];
  ssize_t count = recv(connection->descriptor, buffer, sizeof buffer, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end(connection);
  struct bytes *input = &connection->input;
  // Most reads contain whole frames, which are handled without a copy.
  bool is_kept = input->count > 0;
  if (is_kept) append(input, buffer, count);
  uint8_t *bytes = is_kept ? input->data : buffer;
  size_t available = is_kept ? input->count : (size_t)count, taken = 0;
  while (!connection->is_ended && taken < available) {
    size_t size = connection->room ? take_frame(connection, bytes + taken, available - taken)
                                   : take_request(connection, bytes + taken, available - taken);
    if (size == 0) break;
    taken += size;
  }
  if (connection->is_ended) return;
  if (is_kept) {
    drop(input, taken);
  } else if (taken < available) {
    append(input, buffer + taken, available - taken);
  }
}

static void accept_all(int listener) {
  while (true) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("calloc");
    connection->descriptor = descriptor;
    watch(connection, EPOLL_CTL_ADD);
  }
}

static int listen_on(int port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) fail("bind");
  if (listen(listener, 4096) != 0) fail("listen");
  socklen_t length = sizeof address;
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: floor PORT [--collect | --journal FILE]\n");
    return 1;
  }
  if (count == 4 && strcmp(arguments[2], "--journal") == 0) open_journal(arguments[3]);
  collects = database || (count == 3 && strcmp(arguments[2], "--collect") == 0);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = listen_on(atoi(arguments[1]));
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);

  static struct epoll_event events[EVENT_COUNT];
  while (true) {
    int ready = epoll_wait(poller, events, EVENT_COUNT, -1);
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      if (!connection) {
        accept_all(listener);
        continue;
      }
      if (!connection->is_ended && events[index].events & ~EPOLLOUT) receive(connection);
      if (!connection->is_ended && events[index].events & EPOLLOUT) flush(connection);
    }
    if (database && !sqlite3_get_autocommit(database)) run("COMMIT");
    for (size_t index = 0; index < dirty_count; index++) {
      dirty[index]->is_dirty = false;
      if (!dirty[index]->is_ended) flush(dirty[index]);
    }
    dirty_count = 0;
    while (ended) {
      struct connection *connection = ended;
      ended = connection->next_ended;
      free(connection->input.data);
      free(connection->output.data);
      free(connection);
    }
  }
}
