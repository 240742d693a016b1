/* A host of one component that speaks the wire protocol of docs/protocol.md. Copy studio_wire.[ch] for a component of
   your own, fill in a `studio_component` and call `studio_run` from main: see c_filter.c. */
#ifndef STUDIO_WIRE_H
#define STUDIO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct studio studio;

/* What the component does. `self` is what was given to studio_run; a handler that is not needed may be NULL. */
typedef struct {
    /* Back to the state of a component that has handled nothing yet. */
    void (*on_activate)(void *self, studio *host);
    void (*on_deactivate)(void *self, studio *host);
    /* A message for an in port, as CDR. Its bytes are anybody's: check the size. Valid until the handler returns. */
    void (*on_data)(void *self, studio *host, const char *port, const uint8_t *cdr, size_t size);
    void (*on_timer)(void *self, studio *host);
    /* A parameter, from the environment or by command, as JSON (0.5, true, "text"). False when it cannot be taken. */
    bool (*on_parameter)(void *self, studio *host, const char *name, const char *json);
} studio_component;

/* Takes part in the run until it ends; the exit status of the process. Call it once. */
int studio_run(const studio_component *component, void *self);

/* To be called in a handler only. */
void studio_publish(studio *host, const char *port, const void *cdr, size_t size);
int64_t studio_now_ns(const studio *host);
void studio_log(studio *host, const char *level, const char *text);

/* std_msgs/Float64. */
enum { STUDIO_FLOAT64_SIZE = 12 };
bool studio_read_float64(const uint8_t *cdr, size_t size, double *value);
void studio_write_float64(uint8_t cdr[STUDIO_FLOAT64_SIZE], double value);

#endif
