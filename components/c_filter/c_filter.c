/* A first-order low pass: smooth += gain * (raw - smooth), from the first value on. */
#include <stdlib.h>
#include <string.h>

#include "studio_wire.h"

typedef struct {
    double gain, level;
    bool has_level;
} filter;

static void activate(void *self, studio *host)
{
    (void)host;
    ((filter *)self)->has_level = false;
}

static void data(void *self, studio *host, const char *port, const uint8_t *cdr, size_t size)
{
    filter *f = self;
    double raw;
    uint8_t smooth[STUDIO_FLOAT64_SIZE];

    if (strcmp(port, "raw") != 0)
        return;
    if (!studio_read_float64(cdr, size, &raw)) {
        studio_log(host, "warning", "raw: not a Float64");
        return;
    }
    f->level = f->has_level ? f->level + f->gain * (raw - f->level) : raw;
    f->has_level = true;
    studio_write_float64(smooth, f->level);
    studio_publish(host, "smooth", smooth, sizeof smooth);
}

static bool parameter(void *self, studio *host, const char *name, const char *json)
{
    char *end;
    double value = strtod(json, &end);

    (void)host;
    if (strcmp(name, "gain") != 0 || end == json || !(value >= 0.0 && value <= 1.0))
        return false;
    ((filter *)self)->gain = value;
    return true;
}

int main(void)
{
    static const studio_component low_pass = {.on_activate = activate, .on_data = data, .on_parameter = parameter};
    filter self = {.gain = 0.25};

    return studio_run(&low_pass, &self);
}
