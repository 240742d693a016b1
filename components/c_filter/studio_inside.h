/* What the files of the host share. A component needs none of it. */
#ifndef STUDIO_INSIDE_H
#define STUDIO_INSIDE_H

#include "studio_environment.h"
#include "studio_host.h"
#include "studio_wire.h"

enum studio_state { INACTIVE, ACTIVE, PAUSED, FAILED };
extern const char *const STUDIO_STATES[];

enum { MAX_TEXT = 4096, STUDIO_MAX_CALLERS = 64 };

/* Who was answered, and how often. */
typedef struct {
    char topic[MAX_TOPIC];
    uint64_t sequence;
} studio_caller;

struct studio {
    const studio_component *component;
    void *self, *push, *sub;
    studio_environment env;
    char command_topic[MAX_TOPIC], timer_topic[MAX_TOPIC], request_prefix[MAX_TOPIC];
    enum studio_state state;
    bool joined, stopped;
    /* What the last marker said [4]. */
    bool gated;
    uint32_t epoch, incarnation;
    int64_t clock_base, clock_at;
    double clock_rate;
    /* The event being handled, and what was published meanwhile. */
    const studio_event *cause;
    uint32_t published;
    uint64_t handled;
    /* A service is called inside somebody else's handler: nothing may wait for an ACK of ours. */
    bool serving;
    /* The answer that is being made [10]. */
    bool answered, refused;
    uint8_t *answer;
    size_t answer_size;
    studio_caller callers[STUDIO_MAX_CALLERS];
    int64_t next_hello, next_beat;
};

/* False when the frame was dropped: a host never blocks in a send [1]. */
bool studio_send(studio *host, const studio_event *event, int more);
/* After a handler, which did well or failed. */
void studio_enter(studio *host, bool well, enum studio_state state);
bool studio_is_listed(const char *const names[STUDIO_MAX_NAMES], const char *name);

#endif
