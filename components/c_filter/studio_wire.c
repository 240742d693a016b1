/* Sections 2 and 3 of docs/protocol.md. */
#include "studio_wire.h"

#include <string.h>

uint64_t studio_get(const uint8_t *bytes, int n)
{
    uint64_t value = 0;
    while (n--)
        value = value << 8 | bytes[n];
    return value;
}

void studio_put(uint8_t *bytes, int n, uint64_t value)
{
    for (; n--; value >>= 8)
        *bytes++ = (uint8_t)value;
}

double studio_get_double(const uint8_t *bytes)
{
    uint64_t bits = studio_get(bytes, 8);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

uint64_t studio_fnv1a(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}

/* Where the header starts: after one to eight zeros, at a multiple of eight. */
static size_t header_at(size_t topic_length)
{
    return (topic_length + 8) & ~(size_t)7;
}

size_t studio_frame_size(const studio_event *e)
{
    return header_at(strlen(e->topic)) + HEADER + e->size;
}

void studio_write_frame(uint8_t *frame, const studio_event *e)
{
    size_t length = strlen(e->topic);
    uint8_t *h = frame + header_at(length);
    memset(frame, 0, header_at(length) + HEADER);
    memcpy(frame, e->topic, length);
    h[0] = 1;
    h[1] = e->kind;
    h[2] = e->flags;
    h[3] = e->origin;
    studio_put(h + 4, 4, e->epoch);
    studio_put(h + 8, 8, e->sequence);
    studio_put(h + 16, 8, (uint64_t)e->stamp);
    studio_put(h + 24, 8, (uint64_t)e->sent);
    studio_put(h + 32, 8, e->cause_topic);
    studio_put(h + 40, 8, e->cause_sequence);
    studio_put(h + 48, 2, e->target);
    if (e->size)
        memcpy(h + HEADER, e->payload, e->size);
}

bool studio_read_frame(const uint8_t *frame, size_t size, studio_event *e)
{
    const uint8_t *zero = memchr(frame, 0, size < MAX_TOPIC ? size : MAX_TOPIC);
    size_t start = zero ? header_at((size_t)(zero - frame)) : 0;
    const uint8_t *h = frame + start;
    if (!zero || size < start + HEADER || h[0] != 1)
        return false;
    *e = (studio_event){
        .topic = (const char *)frame, .kind = h[1], .flags = h[2], .origin = h[3],
        .epoch = (uint32_t)studio_get(h + 4, 4), .sequence = studio_get(h + 8, 8),
        .stamp = (int64_t)studio_get(h + 16, 8), .sent = (int64_t)studio_get(h + 24, 8),
        .cause_topic = studio_get(h + 32, 8), .cause_sequence = studio_get(h + 40, 8),
        .target = (uint16_t)studio_get(h + 48, 2), .payload = h + HEADER, .size = size - start - HEADER};
    return true;
}

/* Every CDR payload starts with 00 01 00 00: plain, little-endian. */
static void write_cdr(uint8_t *cdr)
{
    studio_put(cdr, 4, 0x100);
}

static bool is_cdr(const uint8_t *cdr, size_t size, size_t least)
{
    return size >= least && cdr[0] == 0 && cdr[1] == 1;
}

bool studio_read_float64(const uint8_t *cdr, size_t size, double *value)
{
    if (!is_cdr(cdr, size, STUDIO_FLOAT64_SIZE))
        return false;
    *value = studio_get_double(cdr + 4);
    return true;
}

void studio_write_float64(uint8_t cdr[STUDIO_FLOAT64_SIZE], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    write_cdr(cdr);
    studio_put(cdr + 4, 8, bits);
}

const char *studio_read_string(const uint8_t *cdr, size_t size)
{
    if (!is_cdr(cdr, size, STUDIO_STRING_HEAD + 1))
        return NULL;
    uint64_t length = studio_get(cdr + 4, 4);
    if (length == 0 || length > size - STUDIO_STRING_HEAD || cdr[STUDIO_STRING_HEAD + length - 1] != 0)
        return NULL;
    return (const char *)cdr + STUDIO_STRING_HEAD;
}

size_t studio_write_string(uint8_t *cdr, const char *text)
{
    size_t length = strlen(text) + 1;
    write_cdr(cdr);
    studio_put(cdr + 4, 4, length);
    memcpy(cdr + STUDIO_STRING_HEAD, text, length);
    return STUDIO_STRING_HEAD + length;
}
