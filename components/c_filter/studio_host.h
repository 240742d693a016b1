/* A host of one component that speaks the wire protocol of docs/protocol.md. For a component of your own, copy
   studio_*.[ch], fill in a `studio_component` and call `studio_run` from main: c_filter.c shows how. */
#ifndef STUDIO_HOST_H
#define STUDIO_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct studio studio;

enum { STUDIO_MAX_NAMES = 16 };

/* What the component is and does. `self` is what was given to studio_run. A handler that is not needed may be NULL;
   one that returns false has failed: the component is then in state error and handles nothing until it is reset. */
typedef struct {
    /* As in component.xml. */
    const char *in_ports[STUDIO_MAX_NAMES], *out_ports[STUDIO_MAX_NAMES], *parameters[STUDIO_MAX_NAMES];
    /* Those that it provides; get_<port> of each out port is there by itself. */
    const char *services[STUDIO_MAX_NAMES];
    /* Back to the state of a component that has handled nothing yet. */
    bool (*on_activate)(void *self, studio *host);
    /* A message for an in port, as CDR, valid until the handler returns. Its bytes are anybody's: check the size. */
    bool (*on_data)(void *self, studio *host, const char *port, const uint8_t *cdr, size_t size);
    bool (*on_timer)(void *self, studio *host);
    /* A new value, as text: 0.5, true. In any state, before the start too; false refuses it and the old one stays. */
    bool (*on_parameter)(void *self, studio *host, const char *name, const char *value);
    /* A request to one of the services, as CDR: call studio_reply or studio_refuse before it returns. */
    bool (*on_service)(void *self, studio *host, const char *service, const uint8_t *cdr, size_t size);
} studio_component;

/* Takes part in the run until it ends; returns the exit status of the process. */
int studio_run(const studio_component *component, void *self);

/* To be called in on_activate, on_data, on_timer and on_service. */
void studio_publish(studio *host, const char *port, const void *cdr, size_t size);
int64_t studio_now_ns(const studio *host);

/* To be called in on_service: the reply as CDR, or in words why there is none. */
void studio_reply(studio *host, const void *cdr, size_t size);
void studio_refuse(studio *host, const char *text);

/* Levels: debug, info, warning, error. */
void studio_log(studio *host, const char *level, const char *text);

#endif
