/* SPDX-License-Identifier: MIT */
/* whocallme.h - who called me?  The only header a user includes.
 *
 *	init_function_table(argv[0]);	once, in main
 *	who_call_me();			in the function that wants to know
 *
 * Every declaration says whether it is async-signal-safe: those marked
 * WCM_SIGSAFE may be called from a signal handler, at any moment, from any
 * thread; they allocate nothing, take no lock and leave errno alone.
 */
#ifndef WHOCALLME_H
#define WHOCALLME_H

#include <whocallme/base.h>
#include <whocallme/version.h>
#include <whocallme/classic.h>
#include <whocallme/stack.h>
#include <whocallme/symbol.h>
#include <whocallme/functions.h>
#include <whocallme/lines.h>
#include <whocallme/crash.h>
#include <whocallme/threads.h>
#include <whocallme/trace.h>
#include <whocallme/agent.h>
#include <whocallme/probe.h>

#endif
