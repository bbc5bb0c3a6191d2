// A relay on gorilla/websocket in the manner of its chat example: a goroutine that reads and one that writes for each
// connection. What a member of a room sends goes to all of them, the sender included.
//
//	gorilla PORT
package main

import (
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
)

// A client that has this many messages to take is too slow to stay.
const queueLimit = 1024

type client struct {
	connection *websocket.Conn
	queue      chan []byte
}

type room struct {
	mutex   sync.Mutex
	clients map[*client]struct{}
}

var (
	mutex    sync.Mutex
	rooms    = map[string]*room{}
	upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
)

func roomNamed(name string) *room {
	mutex.Lock()
	defer mutex.Unlock()
	if rooms[name] == nil {
		rooms[name] = &room{clients: map[*client]struct{}{}}
	}
	return rooms[name]
}

func (r *room) broadcast(message []byte) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for c := range r.clients {
		select {
		case c.queue <- message:
		default:
			delete(r.clients, c)
			close(c.queue)
		}
	}
}

func (r *room) leave(c *client) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if _, isThere := r.clients[c]; isThere {
		delete(r.clients, c)
		close(c.queue)
	}
}

func (c *client) read(r *room) {
	defer r.leave(c)
	for {
		kind, message, err := c.connection.ReadMessage()
		if err != nil {
			return
		}
		if kind == websocket.TextMessage {
			r.broadcast(message)
		}
	}
}

func (c *client) write() {
	defer c.connection.Close()
	for message := range c.queue {
		if c.connection.WriteMessage(websocket.TextMessage, message) != nil {
			return
		}
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gorilla PORT")
	}
	http.HandleFunc("/room/", func(response http.ResponseWriter, request *http.Request) {
		connection, err := upgrader.Upgrade(response, request, nil)
		if err != nil {
			return
		}
		c := &client{connection, make(chan []byte, queueLimit)}
		r := roomNamed(strings.TrimPrefix(request.URL.Path, "/room/"))
		r.mutex.Lock()
		r.clients[c] = struct{}{}
		r.mutex.Unlock()
		go c.write()
		go c.read(r)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
