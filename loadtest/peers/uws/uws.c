// A relay on uWebSockets, over the C API in the PyPI package `socketify`. Each room is a topic, and publishing collects
// the output of one turn of the loop for each socket by itself.
//
//   uws PORT

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The used part of the C API of uWebSockets (capi/libuwebsockets.h). `ssl` is always 0.

typedef struct uws_app uws_app_t;
typedef struct uws_request uws_request_t;
typedef struct uws_response uws_response_t;
typedef struct uws_context uws_context_t;
typedef struct uws_socket uws_socket_t;

typedef struct {
  const char *key_file, *certificate_file, *passphrase, *dh_parameters_file, *authority_file, *ciphers;
  int prefers_low_memory;
} uws_tls_options_t;

typedef struct {
  int port;
  const char *host;
  int options;
} uws_listen_config_t;

typedef void (*uws_socket_handler)(uws_socket_t *, void *user_data);
typedef void (*uws_data_handler)(uws_socket_t *, const char *, size_t, void *user_data);

typedef struct {
  int compression;
  unsigned int max_payload_length;
  unsigned short idle_timeout;
  unsigned int max_backpressure;
  bool close_on_backpressure_limit, reset_idle_timeout_on_send, send_pings_automatically;
  unsigned short max_lifetime;
  void (*upgrade)(uws_response_t *, uws_request_t *, uws_context_t *, void *user_data);
  uws_socket_handler open;
  void (*message)(uws_socket_t *, const char *, size_t, int opcode, void *user_data);
  uws_socket_handler drain;
  uws_data_handler ping, pong;
  void (*close)(uws_socket_t *, int code, const char *, size_t, void *user_data);
  void (*subscription)(uws_socket_t *, const char *, size_t, int, int, void *user_data);
} uws_behavior_t;

uws_app_t *uws_create_app(int ssl, uws_tls_options_t options);
void uws_app_run(int ssl, uws_app_t *app);
void uws_app_listen_with_config(
    int ssl, uws_app_t *app, uws_listen_config_t config, void (*handler)(void *, uws_listen_config_t, void *),
    void *user_data);
void uws_ws(int ssl, uws_app_t *app, const char *pattern, uws_behavior_t behavior, void *user_data);
bool uws_publish(
    int ssl, uws_app_t *app, const char *topic, size_t topic_length, const char *message, size_t length, int opcode,
    bool compress);
bool uws_ws_subscribe(int ssl, uws_socket_t *socket, const char *topic, size_t length);
void *uws_ws_get_user_data(int ssl, uws_socket_t *socket);
size_t uws_req_get_parameter(uws_request_t *request, unsigned short index, const char **value);
size_t uws_req_get_header(uws_request_t *request, const char *name, size_t length, const char **value);
void uws_res_upgrade(
    int ssl, uws_response_t *response, void *user_data, const char *key, size_t key_length, const char *protocol,
    size_t protocol_length, const char *extensions, size_t extensions_length, uws_context_t *context);

/// A room's name, kept by each of its connections.
struct room {
  size_t length;
  char name[];
};

static void upgrade(uws_response_t *response, uws_request_t *request, uws_context_t *context, void *app) {
  (void)app;
  const char *name, *key;
  size_t length = uws_req_get_parameter(request, 0, &name);
  size_t key_length = uws_req_get_header(request, "sec-websocket-key", strlen("sec-websocket-key"), &key);
  struct room *room = malloc(sizeof *room + length);
  room->length = length;
  memcpy(room->name, name, length);
  uws_res_upgrade(0, response, room, key, key_length, "", 0, "", 0, context);
}

static void open(uws_socket_t *socket, void *app) {
  (void)app;
  struct room *room = uws_ws_get_user_data(0, socket);
  uws_ws_subscribe(0, socket, room->name, room->length);
}

/// The application publishes, not the socket, so that the sender receives the message, too.
static void message(uws_socket_t *socket, const char *text, size_t length, int opcode, void *app) {
  struct room *room = uws_ws_get_user_data(0, socket);
  uws_publish(0, app, room->name, room->length, text, length, opcode, false);
}

static void closed(uws_socket_t *socket, int code, const char *reason, size_t length, void *app) {
  (void)code, (void)reason, (void)length, (void)app;
  free(uws_ws_get_user_data(0, socket));
}

static void listening(void *socket, uws_listen_config_t config, void *app) {
  (void)app;
  if (socket) return;
  fprintf(stderr, "uws: port %d cannot be listened on\n", config.port);
  exit(1);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: uws PORT\n");
    return 1;
  }
  uws_app_t *app = uws_create_app(0, (uws_tls_options_t){0});
  // A limit or timeout of 0 means none.
  uws_behavior_t behavior = {
      .max_payload_length = 64 * 1024, .upgrade = upgrade, .open = open, .message = message, .close = closed};
  uws_ws(0, app, "/room/:name", behavior, app);
  uws_listen_config_t config = {.port = atoi(arguments[1]), .host = "127.0.0.1"};
  uws_app_listen_with_config(0, app, config, listening, app);
  uws_app_run(0, app);
}
