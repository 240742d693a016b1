/* Services, and what a person does by hand: sections 7 and 10 of docs/protocol.md. */
#ifndef STUDIO_SERVICES_H
#define STUDIO_SERVICES_H

#include "studio_inside.h"

/* A call from another component's handler. */
void studio_serve_request(studio *host, const studio_event *request);

/* A command by hand: call, deliver, publish. False if it is none of these. */
bool studio_obey_by_hand(studio *host, const studio_event *command, const char *verb, const char *json);

#endif
