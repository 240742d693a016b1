/* Sections 7 (by hand) and 10 of docs/protocol.md. */
#include "studio_services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studio_json.h"

enum { REQUEST_HEAD = 24, REPLY_HEAD = 8, COUNT_SIZE = 8, MAX_NAME = 128 };
static const char GET[] = "get_", HAND[] = "_hand";

/* ---- the answer that is being made ---- */

static void keep_answer(studio *s, bool refused, const void *bytes, size_t size)
{
    uint8_t *room = malloc(size ? size : 1);
    if (!room)
        return;
    if (size)
        memcpy(room, bytes, size);
    free(s->answer);
    s->answer = room;
    s->answer_size = size;
    s->answered = true;
    s->refused = refused;
}

void studio_reply(studio *s, const void *cdr, size_t size)
{
    keep_answer(s, false, cdr, size);
}

void studio_refuse(studio *s, const char *text)
{
    keep_answer(s, true, text, strlen(text));
}

static void refuse_as(studio *s, const char *how, const char *what)
{
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%s %s %s", s->env.component, how, what);
    studio_refuse(s, text);
}

static bool is_active(studio *s, const char *to_do)
{
    char how[MAX_NAME];
    if (s->state == ACTIVE)
        return true;
    snprintf(how, sizeof how, "is %s and", STUDIO_STATES[s->state]);
    refuse_as(s, how, to_do);
    return false;
}

/* get_<port>: what was published last. */
static void tell_port(studio *s, const char *port)
{
    for (size_t i = 0; i < s->env.outs; i++) {
        const studio_wire *w = &s->env.out[i];
        if (strcmp(w->port, port) == 0 && w->last) {
            studio_reply(s, w->last, w->last_size);
            return;
        }
    }
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%s has published nothing on %s yet", s->env.component, port);
    studio_refuse(s, text);
}

static void serve(studio *s, const char *service, const uint8_t *cdr, size_t size)
{
    bool is_get = strncmp(service, GET, strlen(GET)) == 0;
    if (!is_active(s, "does not serve"))
        return;
    if (s->component->on_service && studio_is_listed(s->component->services, service)) {
        studio_enter(s, s->component->on_service(s->self, s, service, cdr, size), ACTIVE);
        if (!s->answered)
            refuse_as(s, s->state == FAILED ? "failed in" : "has no answer to", service);
    } else if (is_get && studio_is_listed(s->component->out_ports, service + strlen(GET))) {
        tell_port(s, service + strlen(GET));
    } else {
        refuse_as(s, "provides no service", service);
    }
}

/* ---- on the wire ---- */

/* Replies are counted for each topic. NULL when there are more callers than anybody has thought of. */
static studio_caller *caller_of(studio *s, const char *topic)
{
    for (size_t i = 0; i < STUDIO_MAX_CALLERS; i++) {
        studio_caller *c = &s->callers[i];
        if (!c->topic[0])
            snprintf(c->topic, sizeof c->topic, "%s", topic);
        if (strcmp(c->topic, topic) == 0)
            return c;
    }
    return NULL;
}

/* `published`: what a nested call led to; the effects of a command are counted by its ACK. */
static void send_reply(studio *s, const char *caller, uint32_t id, const studio_event *cause, uint32_t published)
{
    char topic[MAX_TOPIC], end[MAX_TOPIC];
    size_t head = REPLY_HEAD + (published ? COUNT_SIZE : 0), size = head + s->answer_size;
    uint8_t *payload = calloc(1, size);
    if (payload && studio_join_text(end, caller, "/", s->env.component) &&
        studio_join_text(topic, "/_studio/reply/", end, "")) {
        studio_caller *c = caller_of(s, topic);
        studio_put(payload, 4, id);
        studio_put(payload + 4, 2, published ? 1 : 0);
        if (published) {
            studio_put(payload + REPLY_HEAD, 2, s->env.place);
            studio_put(payload + REPLY_HEAD + 4, 4, published);
        }
        if (s->answer_size)
            memcpy(payload + head, s->answer, s->answer_size);
        studio_send(s, &(studio_event){.topic = topic, .kind = REPLY, .flags = s->refused ? ERROR_FLAG : 0,
                                       .sequence = c ? ++c->sequence : 0, .stamp = cause->stamp, .sent = cause->stamp,
                                       .cause_topic = studio_fnv1a(cause->topic), .cause_sequence = cause->sequence,
                                       .target = TO_ALL, .payload = payload, .size = size}, 0);
    }
    free(payload);
}

static void begin_answer(studio *s)
{
    s->answered = s->refused = false;
    s->answer_size = 0;
}

void studio_serve_request(studio *s, const studio_event *e)
{
    const uint8_t *bytes = e->payload;
    const char *caller = e->topic + strlen(s->request_prefix);
    char service[MAX_NAME];
    if (e->size < REQUEST_HEAD || !*caller)
        return;
    uint32_t id = (uint32_t)studio_get(bytes, 4);
    size_t name = studio_get(bytes + 4, 2), chain = studio_get(bytes + 16, 4), left = e->size - REQUEST_HEAD;
    if (!id || name >= sizeof service || name > left || chain > left - name)
        return; /* for the record only, or damaged: who waits is told by the deadline */
    memcpy(service, bytes + REQUEST_HEAD, name);
    service[name] = 0;
    begin_answer(s);
    s->published = 0;
    s->cause = e;
    s->serving = true;
    serve(s, service, bytes + REQUEST_HEAD + name + chain, left - name - chain);
    s->serving = false;
    s->cause = NULL;
    send_reply(s, caller, id, e, s->published);
}

/* ---- by hand ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The message of a command: "cdr": "0001...", in hexadecimal digits. To be freed; NULL if there is none. */
static uint8_t *message_of(const char *json, size_t *size)
{
    const char *value = json_value(json, "cdr");
    if (!value || *value++ != '"')
        return NULL;
    size_t length = strspn(value, "0123456789abcdef");
    if (value[length] != '"' || length % 2)
        return NULL;
    uint8_t *bytes = malloc(length / 2 + 1);
    for (size_t i = 0; bytes && i < length / 2; i++)
        bytes[i] = (uint8_t)(digit(value[2 * i]) << 4 | digit(value[2 * i + 1]));
    *size = length / 2;
    return bytes;
}

static void deliver(studio *s, const char *port, const uint8_t *cdr, size_t size)
{
    if (!studio_is_listed(s->component->in_ports, port)) {
        refuse_as(s, "has no in port", port);
    } else if (is_active(s, "handles nothing") && s->component->on_data) {
        studio_enter(s, s->component->on_data(s->self, s, port, cdr, size), ACTIVE);
        if (s->state == FAILED)
            refuse_as(s, "failed at", port);
    }
}

static void publish(studio *s, const char *port, const uint8_t *cdr, size_t size)
{
    if (studio_is_listed(s->component->out_ports, port))
        studio_publish(s, port, cdr, size);
    else
        refuse_as(s, "has no out port", port);
}

bool studio_obey_by_hand(studio *s, const studio_event *e, const char *verb, const char *json)
{
    bool calls = strcmp(verb, "call") == 0, delivers = strcmp(verb, "deliver") == 0;
    char name[MAX_NAME];
    size_t size = 0;
    if (!calls && !delivers && strcmp(verb, "publish") != 0)
        return false;
    const char *id = json_value(json, "id");
    uint8_t *cdr = message_of(json, &size);
    begin_answer(s);
    if (!cdr || !json_string(json_value(json, calls ? "service" : "port"), name, sizeof name))
        refuse_as(s, "cannot make sense of", verb);
    else if (calls)
        serve(s, name, cdr, size);
    else if (delivers)
        deliver(s, name, cdr, size);
    else
        publish(s, name, cdr, size);
    free(cdr);
    send_reply(s, HAND, id ? (uint32_t)strtoul(id, NULL, 10) : 0, e, 0);
    return true;
}
