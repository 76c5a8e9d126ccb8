/* SPDX-License-Identifier: MIT */
/* agent_protocol.h - what a client, "whocallme trace -p" or "stack -p", and the agent of a
 * running process say to each other.
 *
 * The agent listens on a UNIX socket of packets (SOCK_SEQPACKET) with the abstract name
 *
 *	whocallme-agent/PID/RANDOM
 *
 * RANDOM keeps other users from taking the name first.  A client finds it in /proc/PID/net/unix,
 * and each side believes the other by SO_PEERCRED alone: by the user, and, of the agent, by the
 * process.  Abstract names need no folder, and reach a process in another root directory.
 *
 * A request is one packet: words, each ended by a zero byte, a verb first.  "trace" is followed
 * by variables of `whocallme trace`, NAME=VALUE.  The answer is one packet: WCM_AGENT_DONE with
 * the end of a pipe to read the output from (SCM_RIGHTS), where there is some; or
 * WCM_AGENT_REFUSED and a reason, perhaps an empty one, in which case the pipe has it.  A trace
 * ends when the client closes its end of the socket, or shuts it down to have the rest of the
 * output; when it has ended the agent closes the socket, after a packet WCM_AGENT_REFUSED with the
 * reason where it has ended because the pipe was full.
 */
#ifndef WCM_FORMAT_AGENT_PROTOCOL_H
#define WCM_FORMAT_AGENT_PROTOCOL_H

#define WCM_AGENT_NAME "whocallme-agent/"

#define WCM_AGENT_TRACE "trace"
#define WCM_AGENT_STOP "stop"
#define WCM_AGENT_STACK "stack"
#define WCM_AGENT_FLIGHT "flight" /* the last calls of each thread */
#define WCM_AGENT_FLIGHT_START "flight-start" /* keep as many as the next word says */
#define WCM_AGENT_FLIGHT_STOP "flight-stop"

enum { WCM_FLIGHT_MOST = 65536 /* calls of each thread that are kept at most */ };

enum {
	WCM_AGENT_DONE = '+',
	WCM_AGENT_REFUSED = '-',

	WCM_AGENT_REQUEST_SIZE = 32768, /* bytes at most */
	WCM_AGENT_ANSWER_SIZE = 512,
	WCM_AGENT_MOST_WORDS = 64,
};

#endif
