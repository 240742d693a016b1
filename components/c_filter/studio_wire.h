/* Bytes on the wire: numbers, frames and a few CDR messages. No sockets here. */
#ifndef STUDIO_WIRE_H
#define STUDIO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum studio_kind { DATA, TIMER, COMMAND, REQUEST, REPLY, ACK, MARKER, HELLO, READY, BEAT, TRACE, LOG };
enum studio_mark { WELCOME, STATE, PAUSE, ALIVE, STOP, SYNC };
enum { SHARED = 2, AGAIN = 4, ERROR_FLAG = 8, TO_ALL = 0xFFFF, HEADER = 60, MARKER_SIZE = 48, MAX_TOPIC = 256 };

/* Topic, header and payload. What was read points into the frame's bytes. */
typedef struct {
    const char *topic;
    uint8_t kind, flags, origin;
    uint32_t epoch;
    uint64_t sequence;
    int64_t stamp, sent;
    uint64_t cause_topic, cause_sequence;
    uint16_t target;
    const void *payload;
    size_t size;
} studio_event;

/* Numbers of n bytes, little-endian whatever the machine is. */
uint64_t studio_get(const uint8_t *bytes, int n);
void studio_put(uint8_t *bytes, int n, uint64_t value);
double studio_get_double(const uint8_t *bytes);

uint64_t studio_fnv1a(const char *text);

size_t studio_frame_size(const studio_event *event);
void studio_write_frame(uint8_t *frame, const studio_event *event);
/* False for what is no frame. Nothing in it is trusted: not its size, not that the topic ends. */
bool studio_read_frame(const uint8_t *frame, size_t size, studio_event *event);

/* std_msgs/Float64. */
enum { STUDIO_FLOAT64_SIZE = 12 };
bool studio_read_float64(const uint8_t *cdr, size_t size, double *value);
void studio_write_float64(uint8_t cdr[STUDIO_FLOAT64_SIZE], double value);

/* std_msgs/String. The text that was read ends with a zero inside the payload; NULL for what is none. */
enum { STUDIO_STRING_HEAD = 8 };
const char *studio_read_string(const uint8_t *cdr, size_t size);
/* Room for STUDIO_STRING_HEAD + strlen(text) + 1 bytes; returns how many were written. */
size_t studio_write_string(uint8_t *cdr, const char *text);

#endif
