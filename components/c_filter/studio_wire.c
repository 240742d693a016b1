/* The protocol side of a component: sockets, frames, joining, acknowledging. Numbers in brackets are sections of
   docs/protocol.md. One thread: what is sent first arrives first, and no lock is needed. */
#define _POSIX_C_SOURCE 200809L

#include "studio_wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { DATA, TIMER, COMMAND, REQUEST, REPLY, ACK, MARKER, HELLO, READY, BEAT, TRACE, LOG };
enum { WELCOME, STATE, PAUSE, ALIVE, STOP };
enum { HEADER = 60, MARKER_SIZE = 48, MAX_PORTS = 32, MAX_TOPIC = 255, TO_ALL = 0xFFFF, SEND_QUEUE = 20000 };

static const int64_t BEAT_NS = 400000000, HELLO_NS = 20000000;
static const char ALL[] = "/_studio/all";

typedef struct {
    char port[MAX_TOPIC + 1], topic[MAX_TOPIC + 1];
    uint64_t sequence, count, lost;
} wire;

/* A frame as received; the pointers are into its bytes. */
typedef struct {
    const char *topic;
    const uint8_t *header, *payload;
    size_t size;
    uint64_t sequence;
    int64_t stamp;
    uint16_t target;
    uint8_t kind;
} event;

struct studio {
    const studio_component *component;
    void *self, *context, *push, *sub;
    const char *name, *host;
    wire in[MAX_PORTS], out[MAX_PORTS];
    size_t ins, outs;
    uint32_t place, index, origin;
    bool active, joined, stopped;
    /* As the last marker said [4]. */
    uint32_t mode, epoch, incarnation;
    int64_t clock_base, clock_at;
    double clock_rate;
    /* The event being handled, and what was published meanwhile. */
    const event *cause;
    uint32_t published;
    int64_t next_beat, next_hello;
};

/* ---- numbers: little-endian whatever the machine ---- */

static uint64_t get(const uint8_t *bytes, int n)
{
    uint64_t value = 0;
    while (n--)
        value = value << 8 | bytes[n];
    return value;
}

static void put(uint8_t *bytes, int n, uint64_t value)
{
    for (; n--; value >>= 8)
        *bytes++ = (uint8_t)value;
}

static double get_double(const uint8_t *bytes)
{
    uint64_t bits = get(bytes, 8);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t fnv1a(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

bool studio_read_float64(const uint8_t *cdr, size_t size, double *value)
{
    if (size < STUDIO_FLOAT64_SIZE || cdr[0] != 0 || cdr[1] != 1)
        return false;
    *value = get_double(cdr + 4);
    return true;
}

void studio_write_float64(uint8_t cdr[STUDIO_FLOAT64_SIZE], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put(cdr, 4, 0x100);
    put(cdr + 4, 8, bits);
}

/* ---- time [4] ---- */

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static int64_t system_ns(const studio *s)
{
    return s->clock_base + (int64_t)((double)(monotonic_ns() - s->clock_at) * s->clock_rate);
}

int64_t studio_now_ns(const studio *s)
{
    return s->cause ? s->cause->stamp : system_ns(s);
}

/* ---- sending [2] ---- */

typedef struct {
    const char *topic;
    uint8_t kind;
    uint64_t sequence;
    const void *payload;
    size_t size;
} outgoing;

/* False when the frame was dropped: a host never blocks in a send [1]. */
static bool send_frame(studio *s, const outgoing *o, int more)
{
    size_t length = strlen(o->topic), header = (length + 8) & ~(size_t)7;
    const event *cause = s->cause;
    zmq_msg_t frame;
    if (zmq_msg_init_size(&frame, header + HEADER + o->size) != 0)
        return false;
    uint8_t *bytes = zmq_msg_data(&frame), *h = bytes + header;
    int64_t now = system_ns(s);
    memset(bytes, 0, header + HEADER);
    memcpy(bytes, o->topic, length);
    h[0] = 1;
    h[1] = o->kind;
    h[3] = (uint8_t)s->origin;
    put(h + 4, 4, s->epoch);
    put(h + 8, 8, o->sequence);
    put(h + 16, 8, (uint64_t)(cause ? cause->stamp : now));
    put(h + 24, 8, (uint64_t)(cause && s->mode ? cause->stamp : now));
    put(h + 32, 8, cause ? fnv1a(cause->topic) : 0);
    put(h + 40, 8, cause ? cause->sequence : 0);
    put(h + 48, 2, TO_ALL);
    if (o->size)
        memcpy(h + HEADER, o->payload, o->size);
    if (zmq_msg_send(&frame, s->push, ZMQ_DONTWAIT | more) >= 0)
        return true;
    zmq_msg_close(&frame);
    return false;
}

/* JSON goes as a CDR string: encapsulation, length with the zero at its end, text. */
static void send_text(studio *s, uint8_t kind, const char *topic, const char *text)
{
    uint8_t cdr[8 + 4096];
    size_t length = strlen(text) + 1;
    if (length > sizeof cdr - 8)
        return;
    put(cdr, 4, 0x100);
    put(cdr + 4, 4, length);
    memcpy(cdr + 8, text, length);
    send_frame(s, &(outgoing){topic, kind, s->index, cdr, 8 + length}, 0);
}

static void send_greeting(studio *s, uint8_t kind, const char *topic)
{
    send_frame(s, &(outgoing){topic, kind, s->index, s->host, strlen(s->host)}, 0);
}

void studio_log(studio *s, const char *level, const char *text)
{
    char json[1024], clean[512];
    size_t n = 0;
    for (; *text && n < sizeof clean - 1; text++)
        clean[n++] = *text == '"' || *text == '\\' || (uint8_t)*text < ' ' ? '\'' : *text;
    clean[n] = 0;
    snprintf(json, sizeof json, "{\"component\": \"%s\", \"level\": \"%s\", \"text\": \"%s\"}", s->name, level, clean);
    send_text(s, LOG, "/_studio/log", json);
}

/* Effects of a gated event are the first parts of the message that the ACK ends: the broker wakes once [5]. */
void studio_publish(studio *s, const char *port, const void *cdr, size_t size)
{
    for (size_t i = 0; i < s->outs; i++) {
        wire *w = &s->out[i];
        if (strcmp(w->port, port) != 0)
            continue;
        w->sequence++;
        if (send_frame(s, &(outgoing){w->topic, DATA, w->sequence, cdr, size}, s->mode ? ZMQ_SNDMORE : 0))
            s->published++;
    }
}

static void acknowledge(studio *s, const char *topic, uint64_t sequence, uint16_t target)
{
    uint8_t ack[28] = {0};
    bool effects = s->published > 0;
    put(ack, 8, fnv1a(topic));
    put(ack + 8, 8, sequence);
    put(ack + 16, 2, target);
    put(ack + 18, 2, effects);
    put(ack + 20, 2, s->place);
    put(ack + 24, 4, s->published);
    send_frame(s, &(outgoing){"/_studio/ack", ACK, s->index, ack, effects ? 28 : 20}, 0);
}

static void send_beat(studio *s)
{
    char json[4096];
    int n = snprintf(json, sizeof json, "{\"host\": \"%s\", \"pid\": %ld, \"components\": {\"%s\": {\"state\": \"%s\"}}}",
                     s->host, (long)getpid(), s->name, s->active ? "active" : "inactive");
    if (n > 0 && (size_t)n < sizeof json)
        send_text(s, BEAT, "/_studio/beat", json);
}

/* ---- receiving ---- */

/* Nothing in a frame is trusted: not its length, not that the topic ends. */
static bool read_frame(const uint8_t *bytes, size_t size, event *e)
{
    const uint8_t *zero = memchr(bytes, 0, size < MAX_TOPIC + 1 ? size : MAX_TOPIC + 1);
    if (!zero)
        return false;
    size_t header = ((size_t)(zero - bytes) + 8) & ~(size_t)7;
    if (size < header + HEADER || bytes[header] != 1)
        return false;
    const uint8_t *h = bytes + header;
    *e = (event){(const char *)bytes, h, h + HEADER, size - header - HEADER, get(h + 8, 8), (int64_t)get(h + 16, 8),
                 (uint16_t)get(h + 48, 2), h[1]};
    return true;
}

/* A look into a flat JSON object: where the value of `key` starts, or NULL. */
static const char *json_value(const char *json, const char *key)
{
    size_t length = strlen(key);
    int depth = 0;
    for (const char *c = json; *c; c++) {
        depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        if (*c != '"')
            continue;
        const char *start = ++c;
        for (; *c && *c != '"'; c++)
            if (*c == '\\' && c[1])
                c++;
        if (!*c)
            return NULL;
        const char *after = c + 1 + strspn(c + 1, " \t\r\n");
        if (depth == 1 && *after == ':' && (size_t)(c - start) == length && memcmp(start, key, length) == 0)
            return after + 1 + strspn(after + 1, " \t\r\n");
    }
    return NULL;
}

/* Copies the string that a JSON value is; false for other values, escapes and what is too long for a name. */
static bool json_string(const char *value, char *out, size_t size)
{
    if (!value || *value != '"')
        return false;
    size_t length = strcspn(++value, "\"\\");
    if (value[length] != '"' || length >= size)
        return false;
    memcpy(out, value, length);
    out[length] = 0;
    return true;
}

static void set_active(studio *s, bool active)
{
    void (*hook)(void *, studio *) = active ? s->component->on_activate : s->component->on_deactivate;
    if (s->active == active)
        return;
    s->active = active;
    if (hook)
        hook(s->self, s);
}

static bool set_parameter(studio *s, const char *name, const char *json)
{
    return json && s->component->on_parameter && s->component->on_parameter(s->self, s, name, json);
}

/* False for what is not understood [7]. */
static bool obey(studio *s, const char *json)
{
    char what[32], name[MAX_TOPIC + 1];
    if (!json_string(json_value(json, "do"), what, sizeof what))
        return false;
    if (strcmp(what, "activate") == 0)
        set_active(s, true);
    else if (strcmp(what, "deactivate") == 0 || strcmp(what, "reset") == 0)
        set_active(s, false);
    else if (strcmp(what, "set") == 0)
        return json_string(json_value(json, "name"), name, sizeof name) &&
               set_parameter(s, name, json_value(json, "value"));
    else
        return strcmp(what, "clock-jump") == 0;
    return true;
}

static void handle_command(studio *s, const event *e)
{
    uint64_t length = e->size >= 8 && e->payload[1] == 1 ? get(e->payload + 4, 4) : 0;
    const char *json = (const char *)e->payload + 8;
    if (length == 0 || length > e->size - 8 || json[length - 1] != 0 || !obey(s, json))
        studio_log(s, "warning", "a command was ignored: not understood, or a value that does not fit");
}

static void handle_data(studio *s, const event *e)
{
    for (size_t i = 0; i < s->ins; i++) {
        wire *w = &s->in[i];
        if (strcmp(w->topic, e->topic) == 0 && s->active && s->component->on_data)
            s->component->on_data(s->self, s, w->port, e->payload, e->size);
    }
}

/* Handle, then acknowledge: whatever is in the event, and also what is not for us, or the system would wait [5]. */
static void handle_event(studio *s, const event *e)
{
    s->published = 0;
    s->cause = e;
    if (e->target == TO_ALL || e->target == s->place) {
        if (e->kind == DATA)
            handle_data(s, e);
        else if (e->kind == COMMAND)
            handle_command(s, e);
        else if (s->active && s->component->on_timer)
            s->component->on_timer(s->self, s);
    }
    s->cause = NULL;
    if (s->mode)
        acknowledge(s, e->topic, e->sequence, e->target);
}

static void handle_marker(studio *s, const event *e)
{
    if (e->size < MARKER_SIZE)
        return;
    const uint8_t *m = e->payload;
    uint32_t what = (uint32_t)get(m, 4), incarnation = (uint32_t)get(m + 44, 4);
    if (what != WELCOME && incarnation != s->incarnation)
        s->joined = false;
    if (what == ALIVE)
        return;
    s->mode = (uint32_t)get(m + 8, 4);
    s->clock_base = (int64_t)get(m + 16, 8);
    s->clock_at = (int64_t)get(m + 24, 8);
    s->clock_rate = get_double(m + 32);
    s->epoch = (uint32_t)get(m + 40, 4);
    s->published = 0;
    if (what == PAUSE)
        acknowledge(s, ALL, get(m + 4, 4), TO_ALL);
    if (what == STOP)
        s->stopped = true;
    if (what == WELCOME && !s->joined) {
        s->joined = true;
        s->incarnation = incarnation;
        send_greeting(s, READY, "/_studio/ready");
    }
}

static void receive(studio *s, const uint8_t *bytes, size_t size)
{
    event e;
    if (!read_frame(bytes, size, &e))
        return;
    if (e.kind == MARKER)
        handle_marker(s, &e);
    else if (e.kind == DATA || e.kind == TIMER || e.kind == COMMAND)
        handle_event(s, &e);
}

/* ---- joining [6] ---- */

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "not set; the launcher gives it");
    return 1;
}

/* STUDIO_IN_raw=/a/x /b/y: one wire for each topic. */
static bool add_wires(wire *wires, size_t *n, const char *port, const char *topics)
{
    size_t name = strcspn(port, "=");
    for (topics += strspn(topics, " "); *topics; topics += strspn(topics, " ")) {
        size_t length = strcspn(topics, " ");
        if (*n == MAX_PORTS || name > MAX_TOPIC || length > MAX_TOPIC)
            return false;
        wire *w = &wires[(*n)++];
        memcpy(w->port, port, name);
        memcpy(w->topic, topics, length);
        topics += length;
    }
    return true;
}

extern char **environ;

static bool read_environment(studio *s)
{
    static const char in[] = "STUDIO_IN_", out[] = "STUDIO_OUT_", parameter[] = "STUDIO_PARAMETER_";
    for (char **each = environ; *each; each++) {
        const char *value = strchr(*each, '=');
        bool good = true;
        if (!value++)
            continue;
        if (strncmp(*each, in, sizeof in - 1) == 0)
            good = add_wires(s->in, &s->ins, *each + sizeof in - 1, value);
        else if (strncmp(*each, out, sizeof out - 1) == 0)
            good = add_wires(s->out, &s->outs, *each + sizeof out - 1, value);
        else if (strncmp(*each, parameter, sizeof parameter - 1) == 0) {
            char name[MAX_TOPIC + 1];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(*each + sizeof parameter - 1, "="), *each + sizeof parameter - 1);
            good = set_parameter(s, name, value);
        }
        if (!good) {
            fprintf(stderr, "%s: cannot be taken\n", *each);
            return false;
        }
    }
    return true;
}
