/* The protocol side of a component: joining, handling, acknowledging. Numbers in brackets are sections of
   docs/protocol.md. One thread and one PUSH socket: what is sent first arrives first, and no lock is needed. */
#define _POSIX_C_SOURCE 200809L

#include "studio_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "studio_inside.h"
#include "studio_json.h"
#include "studio_services.h"

static const char ALL[] = "/_studio/all";
static const int SEND_QUEUE = 20000, NO_LIMIT = 0, LINGER_MS = 500;
static const int64_t MILLISECOND = 1000000, HELLO_NS = 20000000, BEAT_NS = 400000000;

const char *const STUDIO_STATES[] = {"inactive", "active", "paused", "error"};

/* ---- time [4] ---- */

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Good for any clock that a marker may tell, nonsense too. */
static int64_t system_ns(const studio *s)
{
    double passed = (double)(int64_t)((uint64_t)monotonic_ns() - (uint64_t)s->clock_at) * s->clock_rate;
    if (!(passed > -9e18 && passed < 9e18))
        return s->clock_base;
    return (int64_t)((uint64_t)s->clock_base + (uint64_t)(int64_t)passed);
}

int64_t studio_now_ns(const studio *s)
{
    return s->cause ? s->cause->stamp : system_ns(s);
}

/* ---- sending ---- */

bool studio_send(studio *s, const studio_event *e, int more)
{
    zmq_msg_t frame;
    if (zmq_msg_init_size(&frame, studio_frame_size(e)) != 0)
        return false;
    studio_write_frame(zmq_msg_data(&frame), e);
    if (zmq_msg_send(&frame, s->push, ZMQ_DONTWAIT | more) >= 0)
        return true;
    zmq_msg_close(&frame);
    return false;
}

/* What is said to the machinery carries no time and no cause [3]. */
static void say(studio *s, uint8_t kind, const char *topic, uint64_t sequence, const void *payload, size_t size)
{
    studio_send(s, &(studio_event){.topic = topic, .kind = kind, .sequence = sequence, .target = TO_ALL,
                                   .payload = payload, .size = size}, 0);
}

/* For those who ask later [10]. */
static void keep(studio_wire *w, const void *cdr, size_t size)
{
    uint8_t *room = realloc(w->last, size ? size : 1);
    if (!room)
        return;
    if (size)
        memcpy(room, cdr, size);
    w->last = room;
    w->last_size = size;
}

static bool publish_on(studio *s, studio_wire *w, const void *cdr, size_t size)
{
    const studio_event *cause = s->cause;
    studio_event e = {.topic = w->topic, .kind = DATA, .origin = (uint8_t)s->env.origin, .epoch = s->epoch,
                      .sequence = ++w->sequence, .stamp = cause->stamp, .sent = s->gated ? cause->stamp : system_ns(s),
                      .cause_topic = studio_fnv1a(cause->topic), .cause_sequence = cause->sequence, .target = TO_ALL,
                      .payload = cdr, .size = size};
    /* The effects of a gated event and the ACK that follows them are one message: the broker wakes once [5]. */
    keep(w, cdr, size);
    return studio_send(s, &e, s->gated && !s->serving ? ZMQ_SNDMORE : 0);
}

void studio_publish(studio *s, const char *port, const void *cdr, size_t size)
{
    for (size_t i = 0; s->cause && i < s->env.outs; i++)
        if (strcmp(s->env.out[i].port, port) == 0)
            s->published += publish_on(s, &s->env.out[i], cdr, size);
}

static void say_text(studio *s, uint8_t kind, const char *topic, const char *text)
{
    uint8_t cdr[STUDIO_STRING_HEAD + MAX_TEXT];
    say(s, kind, topic, 0, cdr, studio_write_string(cdr, text));
}

void studio_log(studio *s, const char *level, const char *text)
{
    char json[MAX_TEXT], quoted[MAX_TEXT / 2];
    json_quote(text, quoted, sizeof quoted);
    snprintf(json, sizeof json, "{\"component\": \"%s\", \"level\": \"%s\", \"text\": \"%s\"}", s->env.component,
             level, quoted);
    say_text(s, LOG, "/_studio/log", json);
}

static void say_beat(studio *s)
{
    char json[MAX_TEXT];
    size_t n = (size_t)snprintf(json, sizeof json, "{\"host\": \"%s\", \"pid\": %ld, \"components\": "
                                "{\"%s\": {\"state\": \"%s\", \"by_hand\": true, \"handled\": %llu, \"published\": {",
                                s->env.host, (long)getpid(), s->env.component, STUDIO_STATES[s->state],
                                (unsigned long long)s->handled);
    for (size_t i = 0; i < s->env.outs && n < sizeof json; i++)
        n += (size_t)snprintf(json + n, sizeof json - n, "%s\"%s\": %llu", i ? ", " : "", s->env.out[i].topic,
                              (unsigned long long)s->env.out[i].sequence);
    if (n < sizeof json)
        n += (size_t)snprintf(json + n, sizeof json - n, "}}}, \"topics\": {");
    for (size_t i = 0; i < s->env.ins && n < sizeof json; i++) {
        const studio_wire *w = &s->env.in[i];
        n += (size_t)snprintf(json + n, sizeof json - n, "%s\"%s\": {\"count\": %llu, \"lost\": %llu}", i ? ", " : "",
                              w->topic, (unsigned long long)w->count, (unsigned long long)w->lost);
    }
    if (n + 2 < sizeof json) {
        memcpy(json + n, "}}", 3);
        say_text(s, BEAT, "/_studio/beat", json);
    }
}

static void greet(studio *s, uint8_t kind, const char *topic)
{
    say(s, kind, topic, 0, s->env.host, strlen(s->env.host));
}

static void acknowledge(studio *s, const char *topic, uint64_t sequence, uint16_t target)
{
    uint8_t ack[28] = {0};
    studio_put(ack, 8, studio_fnv1a(topic));
    studio_put(ack + 8, 8, sequence);
    studio_put(ack + 16, 2, target);
    studio_put(ack + 18, 2, 1);
    studio_put(ack + 20, 2, s->env.place);
    studio_put(ack + 24, 4, s->published);
    say(s, ACK, "/_studio/ack", s->env.host_index, ack, sizeof ack);
}

/* ---- handling [5, 7] ---- */

bool studio_is_listed(const char *const names[STUDIO_MAX_NAMES], const char *name)
{
    for (size_t i = 0; i < STUDIO_MAX_NAMES && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

void studio_enter(studio *s, bool well, enum studio_state state)
{
    s->state = well ? state : FAILED;
    if (!well)
        studio_log(s, "error", "a handler failed; reset and activate to go on");
}

static bool set_parameter(studio *s, const char *name, const char *value)
{
    return value && s->component->on_parameter && s->component->on_parameter(s->self, s, name, value);
}

static bool set_origin(studio *s, const char *value)
{
    if (!value || *value < '0' || *value > '2')
        return false;
    s->env.origin = (uint32_t)(*value - '0');
    return true;
}

/* A change of state: what is asked for, in which state, and where it leads. */
static const struct {
    const char *verb;
    enum studio_state from, to;
} CHANGES[] = {{"deactivate", ACTIVE, INACTIVE}, {"deactivate", PAUSED, INACTIVE}, {"pause", ACTIVE, PAUSED},
               {"wakeup", PAUSED, ACTIVE},       {"reset", FAILED, INACTIVE}};

/* False for what is not understood, or does not fit the state. */
static bool obey(studio *s, const studio_event *e, const char *json)
{
    char verb[32], name[MAX_TOPIC];
    if (!json_string(json_value(json, "do"), verb, sizeof verb))
        return false;
    if (strcmp(verb, "set") == 0)
        return json_string(json_value(json, "name"), name, sizeof name) &&
               set_parameter(s, name, json_value(json, "value"));
    if (strcmp(verb, "origin") == 0)
        return set_origin(s, json_value(json, "origin"));
    if (strcmp(verb, "activate") == 0 && s->state == INACTIVE) {
        studio_enter(s, !s->component->on_activate || s->component->on_activate(s->self, s), ACTIVE);
        return true;
    }
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++)
        if (strcmp(verb, CHANGES[i].verb) == 0 && s->state == CHANGES[i].from) {
            studio_enter(s, true, CHANGES[i].to);
            return true;
        }
    return studio_obey_by_hand(s, e, verb, json) || strcmp(verb, "clock-jump") == 0 || strcmp(verb, "mode") == 0;
}

static void handle_command(studio *s, const studio_event *e)
{
    const char *json = studio_read_string(e->payload, e->size);
    if (!json || !obey(s, e, json))
        studio_log(s, "warning", "command ignored: it is not known, or does not fit");
}

static void handle_data(studio *s, const studio_event *e)
{
    if (e->flags & SHARED) /* never, since this host is not in the table of hosts [8] */
        return;
    for (size_t i = 0; i < s->env.ins; i++)
        if (strcmp(s->env.in[i].topic, e->topic) == 0 && s->state == ACTIVE && s->component->on_data) {
            s->handled++;
            studio_enter(s, s->component->on_data(s->self, s, s->env.in[i].port, e->payload, e->size), ACTIVE);
        }
}

/* Whether the event is one of ours; counts what arrived and, by the gap in the sequence, what did not. */
static bool expected(studio *s, const studio_event *e)
{
    bool found = strcmp(e->topic, e->kind == COMMAND ? s->command_topic : s->timer_topic) == 0 && e->kind != DATA;
    for (size_t i = 0; i < s->env.ins && e->kind == DATA; i++) {
        studio_wire *w = &s->env.in[i];
        if (strcmp(w->topic, e->topic) != 0)
            continue;
        found = true;
        if (e->flags & AGAIN)
            continue;
        w->count++;
        if (w->sequence && e->sequence > w->sequence && e->epoch == w->epoch)
            w->lost += e->sequence - w->sequence - 1;
        w->sequence = e->sequence;
        w->epoch = e->epoch;
    }
    return found;
}

/* Handle, then acknowledge: whatever the event holds, and also when it is another's turn, or the system would wait. */
static void handle_event(studio *s, const studio_event *e)
{
    if (!expected(s, e))
        return;
    s->published = 0;
    s->cause = e;
    if (e->target == TO_ALL || e->target == s->env.place) {
        if (e->kind == DATA)
            handle_data(s, e);
        else if (e->kind == COMMAND)
            handle_command(s, e);
        else if (s->state == ACTIVE && s->component->on_timer)
            studio_enter(s, s->component->on_timer(s->self, s), ACTIVE);
    }
    s->cause = NULL;
    if (s->gated)
        acknowledge(s, e->topic, e->sequence, e->target);
}

static void handle_marker(studio *s, const studio_event *e)
{
    if (e->size < MARKER_SIZE)
        return;
    const uint8_t *m = e->payload;
    uint64_t what = studio_get(m, 4);
    if (what == SYNC) {
        s->published = 0;
        acknowledge(s, "/_studio/sync", studio_get(m + 4, 4), TO_ALL);
        return;
    }
    uint32_t incarnation = (uint32_t)studio_get(m + 44, 4);
    if (what != WELCOME && incarnation != s->incarnation)
        s->joined = false; /* the broker was restarted */
    if (what == ALIVE || what > STOP)
        return;
    s->gated = studio_get(m + 8, 4) != 0;
    s->clock_base = (int64_t)studio_get(m + 16, 8);
    s->clock_at = (int64_t)studio_get(m + 24, 8);
    s->clock_rate = studio_get_double(m + 32);
    s->epoch = (uint32_t)studio_get(m + 40, 4);
    s->published = 0;
    if (what == PAUSE)
        acknowledge(s, ALL, studio_get(m + 4, 4), TO_ALL);
    s->stopped = what == STOP;
    if (what != WELCOME || (s->joined && s->incarnation == incarnation))
        return;
    s->joined = true;
    s->incarnation = incarnation;
    greet(s, READY, "/_studio/ready");
}

static void receive(studio *s, const uint8_t *bytes, size_t size)
{
    studio_event e;
    if (!studio_read_frame(bytes, size, &e))
        return;
    if (e.kind == MARKER)
        handle_marker(s, &e);
    else if (e.kind <= COMMAND)
        handle_event(s, &e);
    else if (e.kind == REQUEST && strncmp(e.topic, s->request_prefix, strlen(s->request_prefix)) == 0)
        studio_serve_request(s, &e);
}

/* ---- joining [6] ---- */

static bool read_parameter(studio *s, const char *name)
{
    const char *value = studio_variable("STUDIO_PARAMETER_", name);
    bool taken = !value || set_parameter(s, name, value);
    if (!taken)
        fprintf(stderr, "%s: %s cannot be taken\n", name, value);
    return taken;
}

static bool set_up(studio *s)
{
    const studio_component *c = s->component;
    bool good = studio_read_environment(&s->env);
    for (size_t i = 0; good && i < STUDIO_MAX_NAMES; i++)
        good = (!c->in_ports[i] || studio_add_in_port(&s->env, c->in_ports[i])) &&
               (!c->out_ports[i] || studio_add_out_port(&s->env, c->out_ports[i])) &&
               (!c->parameters[i] || read_parameter(s, c->parameters[i]));
    return good;
}

static void subscribe(studio *s, const char *topic)
{
    zmq_setsockopt(s->sub, ZMQ_SUBSCRIBE, topic, strlen(topic) + 1); /* with the zero */
}

/* Calls come on a topic for each caller, and a program does not know them. */
static void subscribe_to_all_that_begins_with(studio *s, const char *prefix)
{
    zmq_setsockopt(s->sub, ZMQ_SUBSCRIBE, prefix, strlen(prefix));
}

/* Connect before subscribing, or libzmq sends the subscriptions in an order of its own. */
static bool join(studio *s)
{
    char in[MAX_TOPIC], out[MAX_TOPIC], own[MAX_TOPIC];
    if (!studio_join_text(in, "ipc://", s->env.run, "/in") || !studio_join_text(out, "ipc://", s->env.run, "/out") ||
        !studio_join_text(own, "/_studio/host/", s->env.host, "") ||
        !studio_join_text(s->request_prefix, "/_studio/request/", s->env.component, "/") ||
        !studio_join_text(s->timer_topic, "/_studio/timer/", s->env.component, "") ||
        !studio_join_text(s->command_topic, "/_studio/command/", s->env.component, ""))
        return false;
    zmq_setsockopt(s->push, ZMQ_SNDHWM, &SEND_QUEUE, sizeof SEND_QUEUE);
    zmq_setsockopt(s->push, ZMQ_LINGER, &LINGER_MS, sizeof LINGER_MS);
    zmq_setsockopt(s->sub, ZMQ_RCVHWM, &NO_LIMIT, sizeof NO_LIMIT);
    if (zmq_connect(s->push, in) != 0 || zmq_connect(s->sub, out) != 0)
        return false;
    for (size_t i = 0; i < s->env.ins; i++)
        subscribe(s, s->env.in[i].topic);
    subscribe(s, s->timer_topic);
    subscribe(s, s->command_topic);
    subscribe_to_all_that_begins_with(s, s->request_prefix);
    subscribe(s, ALL);
    subscribe(s, own);
    return true;
}

/* ---- the loop ---- */

static void be_heard(studio *s, int64_t now)
{
    if (!s->joined && now >= s->next_hello) {
        greet(s, HELLO, "/_studio/hello");
        s->next_hello = now + HELLO_NS;
    }
    if (now >= s->next_beat) {
        say_beat(s);
        s->next_beat = now + BEAT_NS;
        s->stopped = s->stopped || (s->env.parent && getppid() != s->env.parent);
    }
}

static void loop(studio *s)
{
    zmq_pollitem_t item = {.socket = s->sub, .events = ZMQ_POLLIN};
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    while (!s->stopped) {
        int64_t now = monotonic_ns();
        be_heard(s, now);
        int64_t due = !s->joined && s->next_hello < s->next_beat ? s->next_hello : s->next_beat;
        long wait_ms = (long)((due - now) / MILLISECOND + 1);
        if (zmq_poll(&item, 1, wait_ms) > 0 && zmq_msg_recv(&frame, s->sub, ZMQ_DONTWAIT) >= 0)
            receive(s, zmq_msg_data(&frame), zmq_msg_size(&frame));
    }
    zmq_msg_close(&frame);
    say_beat(s);
}

int studio_run(const studio_component *component, void *self)
{
    studio s = {.component = component, .self = self, .state = INACTIVE, .gated = true};
    if (!set_up(&s))
        return 1;
    void *context = zmq_ctx_new();
    s.push = zmq_socket(context, ZMQ_PUSH);
    s.sub = zmq_socket(context, ZMQ_SUB);
    bool joined = s.push && s.sub && join(&s);
    if (joined)
        loop(&s);
    else
        fprintf(stderr, "cannot connect to the run in %s: %s\n", s.env.run, zmq_strerror(zmq_errno()));
    zmq_close(s.sub);
    zmq_close(s.push);
    zmq_ctx_term(context);
    for (size_t i = 0; i < s.env.outs; i++)
        free(s.env.out[i].last);
    free(s.answer);
    return joined ? 0 : 1;
}
