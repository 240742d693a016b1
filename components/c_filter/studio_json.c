#include "studio_json.h"

#include <string.h>

static const char SPACE[] = " \t\r\n";

const char *json_value(const char *json, const char *key)
{
    size_t length = strlen(key);
    int depth = 0;
    for (const char *c = json; *c; c++) {
        depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        if (*c != '"')
            continue;
        const char *start = ++c;
        for (; *c && *c != '"'; c++)
            if (*c == '\\' && c[1])
                c++;
        if (!*c)
            return NULL;
        const char *after = c + 1 + strspn(c + 1, SPACE);
        if (depth == 1 && *after == ':' && (size_t)(c - start) == length && memcmp(start, key, length) == 0)
            return after + 1 + strspn(after + 1, SPACE);
    }
    return NULL;
}

bool json_string(const char *value, char *out, size_t size)
{
    if (!value || *value != '"')
        return false;
    size_t length = strcspn(++value, "\"\\");
    if (value[length] != '"' || length >= size)
        return false;
    memcpy(out, value, length);
    out[length] = 0;
    return true;
}

void json_quote(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 3 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[n++] = '\\';
        out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    out[n] = 0;
}
