/* SPDX-License-Identifier: MIT */
/* agent_protocol.h (SAFE) - requests to the agent of a running process, and its answers.
 *
 * The agent has a thread named WCM_AGENT_BELL, whose descriptor WCM_AGENT_ROPE is a pipe of mode
 * WCM_AGENT_ROPE_MODE.  A client opens
 *
 *	/proc/PID/task/TID/fd/WCM_AGENT_ROPE
 *
 * which the kernel grants to whom it lets read the process (PTRACE_MODE_READ), and writes one
 * struct wcm_agent_ring.  The pipe is good for one ring: another one takes its place then, and
 * nobody reads the old one.  A client that is not answered rings again.  The agent connects to the
 * UNIX socket of packets (SOCK_SEQPACKET) with the abstract name WCM_AGENT_NAME and the ring's name
 * in hexadecimal digits, where the client listens; who has the name may be another by then.  So the
 * kernel is told to let no packet through to the agent that does not begin with the ring's token.
 * The client believes who connects by SO_PEERCRED: by the process.
 *
 * A request is one packet, which the token begins.  The kernel is asked about each: the agent
 * answers WCM_AGENT_AGAIN, and the client rings again, until it has done so by a pipe that was made
 * after the request came.
 *
 * The token is followed by words, each ended by a zero byte, a verb first.  "trace" is followed by
 * variables of `whocallme trace`, NAME=VALUE. No file is opened by a name alone: with a graph comes
 * the file that it is written to, as a descriptor (SCM_RIGHTS), and with a recording the empty
 * marker that the client has made in the folder that it names: a folder would let the process out
 * of it, to what it cannot reach.  With arguments comes a list of prototypes, last, in memory that
 * is sealed.  The answer is one packet: WCM_AGENT_DONE with the end of a pipe
 * to read the output from (SCM_RIGHTS), where there is some; or WCM_AGENT_REFUSED and a reason,
 * perhaps an empty one, in which case the pipe has it.  A trace ends when the client closes its end
 * of the socket, or shuts it down to have the rest of the output; when it has ended the agent
 * closes the socket, after a packet WCM_AGENT_REFUSED with the reason where it has ended early.
 */
#ifndef WCM_FORMAT_AGENT_PROTOCOL_H
#define WCM_FORMAT_AGENT_PROTOCOL_H

#include <stdint.h>

#define WCM_AGENT_BELL "wcm-bell"
#define WCM_AGENT_NAME "whocallme-client/"

enum {
	WCM_AGENT_ROPE = 1,
	WCM_AGENT_ROPE_MODE = 0222, /* nobody reads what others write */
	WCM_AGENT_TOKEN = 16,       /* bytes */
};

/* As it is written to the pipe, in one piece. */
struct wcm_agent_ring {
	char magic[8]; /* WCM_AGENT_RING, without a zero byte */
	uint64_t name;
	unsigned char token[WCM_AGENT_TOKEN];
};

#define WCM_AGENT_RING "wcm-ring"

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
	WCM_AGENT_AGAIN = '?',

	WCM_AGENT_REQUEST_SIZE = 32768, /* bytes of words at most */
	WCM_AGENT_ANSWER_SIZE = 512,
	WCM_AGENT_MOST_WORDS = 64,
	WCM_AGENT_MOST_FILES = 2, /* descriptors that come with a request */
	WCM_AGENT_PAUSE = 250,    /* milliseconds, between two rings that are not answered */
};

#endif
