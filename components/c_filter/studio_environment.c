/* Section 6 of docs/protocol.md: the table of variables. */
#include "studio_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool studio_join_text(char text[MAX_TOPIC], const char *first, const char *second, const char *third)
{
    int n = snprintf(text, MAX_TOPIC, "%s%s%s", first, second, third);
    return n > 0 && n < MAX_TOPIC;
}

const char *studio_variable(const char *prefix, const char *name)
{
    char variable[MAX_TOPIC];
    return studio_join_text(variable, prefix, name, "") ? getenv(variable) : NULL;
}

static bool needed(const char *name, const char **value)
{
    *value = getenv(name);
    if (!*value)
        fprintf(stderr, "%s is not set: this program is started by the launcher\n", name);
    return *value;
}

static uint32_t number(const char *name)
{
    const char *value = getenv(name);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

bool studio_read_environment(studio_environment *e)
{
    e->host_index = number("STUDIO_HOST_INDEX");
    e->place = number("STUDIO_PLACE");
    e->origin = number("STUDIO_ORIGIN");
    e->parent = (long)number("STUDIO_PARENT");
    return needed("STUDIO_RUN", &e->run) && needed("STUDIO_HOST", &e->host) &&
           needed("STUDIO_COMPONENT", &e->component);
}

/* STUDIO_IN_raw=/a/x /b/y: a wire for each topic. */
static bool add_wires(studio_wire *wires, size_t *n, const char *port, const char *topics)
{
    for (; topics && *(topics += strspn(topics, " ")); (*n)++) {
        size_t length = strcspn(topics, " ");
        if (*n == STUDIO_MAX_WIRES || length >= MAX_TOPIC) {
            fprintf(stderr, "%s: too many topics, or one that is too long\n", port);
            return false;
        }
        wires[*n].port = port;
        memcpy(wires[*n].topic, topics, length);
        topics += length;
    }
    return true;
}

bool studio_add_in_port(studio_environment *e, const char *port)
{
    return add_wires(e->in, &e->ins, port, studio_variable("STUDIO_IN_", port));
}

bool studio_add_out_port(studio_environment *e, const char *port)
{
    return add_wires(e->out, &e->outs, port, studio_variable("STUDIO_OUT_", port));
}
