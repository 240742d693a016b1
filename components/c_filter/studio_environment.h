/* What the launcher tells a program of its place in the system. */
#ifndef STUDIO_ENVIRONMENT_H
#define STUDIO_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "studio_wire.h"

enum { STUDIO_MAX_WIRES = 32 };

/* One topic at one port, and what was seen of it. */
typedef struct {
    const char *port;
    char topic[MAX_TOPIC];
    uint64_t sequence, count, lost;
    uint32_t epoch; /* of the last event: in the next one somebody else may send, who counts from elsewhere */
    /* What was published last. */
    uint8_t *last;
    size_t last_size;
} studio_wire;

typedef struct {
    const char *run, *host, *component;
    uint32_t host_index, place, origin;
    long parent;
    studio_wire in[STUDIO_MAX_WIRES], out[STUDIO_MAX_WIRES];
    size_t ins, outs;
} studio_environment;

/* Each of these says on stderr what is missing or wrong when it returns false. A port without a wire is not wrong. */
bool studio_read_environment(studio_environment *environment);
bool studio_add_in_port(studio_environment *environment, const char *port);
bool studio_add_out_port(studio_environment *environment, const char *port);

/* The text of a variable such as STUDIO_PARAMETER_gain; NULL if it is not set. */
const char *studio_variable(const char *prefix, const char *name);

/* Three texts in a row; false when they are too long for a topic or an address. */
bool studio_join_text(char text[MAX_TOPIC], const char *first, const char *second, const char *third);

#endif
