/* A first-order low pass: smooth += gain * (raw - smooth), from the first value on. */
#include <stdlib.h>
#include <string.h>

#include "studio_host.h"
#include "studio_wire.h"

typedef struct {
    double gain, level;
    bool has_level;
} filter;

static bool activate(void *self, studio *host)
{
    (void)host;
    ((filter *)self)->has_level = false;
    return true;
}

static bool take(void *self, studio *host, const char *port, const uint8_t *cdr, size_t size)
{
    filter *f = self;
    double raw;
    uint8_t smooth[STUDIO_FLOAT64_SIZE];

    (void)port; /* there is one only */
    if (!studio_read_float64(cdr, size, &raw))
        return false;
    f->level = f->has_level ? f->level + f->gain * (raw - f->level) : raw;
    f->has_level = true;
    studio_write_float64(smooth, f->level);
    studio_publish(host, "smooth", smooth, sizeof smooth);
    return true;
}

static bool set(void *self, studio *host, const char *name, const char *value)
{
    char *end;
    double number = strtod(value, &end);

    (void)host;
    /* Written so that NaN is refused too; the text goes on with the rest of the command. */
    if (strcmp(name, "gain") != 0 || end == value || !(number >= 0.0 && number <= 1.0) || !strchr(",} \t\r\n", *end))
        return false;
    ((filter *)self)->gain = number;
    return true;
}

int main(void)
{
    static const studio_component low_pass = {
        .in_ports = {"raw"}, .out_ports = {"smooth"}, .parameters = {"gain"},
        .on_activate = activate, .on_data = take, .on_parameter = set};
    filter self = {.gain = 0.25};

    return studio_run(&low_pass, &self);
}
