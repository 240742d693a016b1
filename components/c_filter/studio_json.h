/* A look into a flat JSON object, enough for commands. Any text will do: what is not JSON is not found. */
#ifndef STUDIO_JSON_H
#define STUDIO_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Where the value of `key` starts, or NULL. */
const char *json_value(const char *json, const char *key);

/* Copies the string that `value` is; false for other values (NULL too), for escapes and for what does not fit. */
bool json_string(const char *value, char *out, size_t size);

/* The text as the inside of a JSON string; what does not fit is cut. */
void json_quote(const char *text, char *out, size_t size);

#endif
