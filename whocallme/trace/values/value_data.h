/* SPDX-License-Identifier: MIT */
/* value_data.h (SAFE) - what a call is given and gives back, as data of a recording. */
#ifndef WCM_VALUES_VALUE_DATA_H
#define WCM_VALUES_VALUE_DATA_H

#include "format/uftrace.h"
#include "trace/values/prototype.h"

enum { WCM_VALUE_SPEC_ROOM = 3072 };

struct wcm_value_data {
	size_t count; /* of words */
	uint64_t word[WCM_RECORD_MOST_DATA];
};

/* Make DATA of what PASSED has for a function of CODES, in the order and the sizes that its
 * specification has.  Signal-safe. */
typedef void wcm_value_data_maker(struct wcm_value_data *data, const char *codes,
				  struct wcm_passed passed);
wcm_value_data_maker wcm__value_data_arguments, wcm__value_data_result;

/* Write what the data of a function of CODES are into TEXT: "arg1/s,fparg1/64", or "retval/d32".
 * Returns its length; 0: there are none. */
typedef size_t wcm_value_spec_maker(char text[WCM_VALUE_SPEC_ROOM], const char *codes);
wcm_value_spec_maker wcm__value_spec_arguments, wcm__value_spec_result;

#endif
