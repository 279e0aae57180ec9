// SPDX-License-Identifier: Apache-2.0
/* The scheduler "hprio" told by the application how to order its tasks. In libasterism-schedulers.so: link with it, or
 * find the functions with dlsym. */
#ifndef ASTERISM_HPRIO_H
#define ASTERISM_HPRIO_H

#ifdef __cplusplus
extern "C" {
#endif

/* The table of buckets (grammar: schedulers/hprio/order.hpp), for sessions and scheduling contexts that start
 * later and for those that run; NULL or "": one bucket per codelet, ordered by speedup. ASTERISM_HPRIO_ORDER, when set,
 * wins. Returns 0, or -1 and changes nothing when the text is wrong. */
int asterism_hprio_order(const char* text);

/* What was wrong in this thread's last call: "line 2: expected ..., found ..."; "" after a success. */
const char* asterism_hprio_error(void);

#ifdef __cplusplus
}
#endif

#endif
