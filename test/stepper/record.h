/* SPDX-License-Identifier: MIT */
/* record.h - how what the processor did changes the record of calls. */
#ifndef TEST_STEPPER_RECORD_H
#define TEST_STEPPER_RECORD_H

#include "machine.h"
#include "shadow.h"

struct runner {
	struct shadow *shadow;
	struct registers registers;     /* of its last stop */
	struct instruction instruction; /* that it is let go to run */
};

/* RUNNER's instruction is done. */
void record_instruction(struct runner *runner);

/* RUNNER stands at the first instruction of a signal's handler instead. */
void record_handler(struct runner *runner);

#endif
