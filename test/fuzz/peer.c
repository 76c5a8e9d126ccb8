/* SPDX-License-Identifier: MIT */
/* peer.c - the resolver at the other end, and the kernel between. */
#include "peer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "core/os/clock.h"
#include "format/printable.h"
#include "syscall.h"
#include "whocallme/symbol.h"

struct peer peer;
const struct wcm_symbol *peer_symbol;
static uint64_t now = 1000000000;

static bool is_interrupted(void)
{
	return peer.choices && chance(peer.choices, 12);
}

static size_t part_of(size_t size)
{
	return size == 0 || !peer.choices || chance(peer.choices, 2)
		       ? size
		       : 1 + choose(peer.choices, size);
}

static long receive(char *to, size_t size, long flags)
{
	const size_t left = peer.size - peer.said;
	size_t part = part_of(left < size ? left : size);

	if (is_interrupted())
		return choose(peer.choices, 2) ? -EINTR : -EAGAIN;
	if (peer.choices && chance(peer.choices, 200))
		return -(long)choose(peer.choices, 134);
	if (!peer.asked)
		return peer.choices && chance(peer.choices, 100) ? 1 : -EAGAIN;
	if (part == 0)
		return peer.ends ? 0 : -EAGAIN;
	memcpy(to, peer.says + peer.said, part);
	if (!(flags & MSG_PEEK))
		peer.said += part;
	return (long)part;
}

static long take(const char *from, size_t size)
{
	const size_t part = part_of(size);

	if (is_interrupted())
		return choose(peer.choices, 2) ? -EINTR : -EAGAIN;
	text_put(&peer.heard, from, part);
	peer.asked = true;
	return (long)part;
}

/* All else that resolver_protocol.c and resolver_request.c ask of the kernel. */
static long answer(long number, char *to, char *path, char *target)
{
	static const char dir[] = "/some/dir", program[] = "/some/program";
	struct wcm_kernel_time time;

	switch (number) {
	case SYS_clock_gettime:
		now += 1000;
		time = wcm__kernel_time(now);
		memcpy(path, &time, sizeof(time));
		return 0;
	case SYS_getcwd:
		memcpy(to, dir, sizeof(dir));
		return sizeof(dir);
	case SYS_readlinkat:
		memcpy(target, program, sizeof(program));
		return sizeof(program) - 1;
	case SYS_ppoll:
	case SYS_nanosleep:
		now += 100000000;
		return number == SYS_ppoll && !is_interrupted();
	default:
		return -ENOSYS;
	}
}

long fuzz_syscall(long number, long a, long b, long c, long d)
{
	if (number == SYS_recvfrom)
		return receive((char *)b, (size_t)c, d);
	if (number == SYS_sendto)
		return take((const char *)b, (size_t)c);
	return answer(number, (char *)a, (char *)b, (char *)c);
}

uint64_t peer_deadline(void)
{
	return now + 5000000000u;
}

bool wcm__spawned_is_there(const struct wcm_spawned *spawned)
{
	return spawned->fd >= 0;
}

void wcm__spawned_end(struct wcm_spawned *spawned, bool kill)
{
	(void)kill;
	spawned->fd = -1;
}

enum wcm_status wcm_symbol_peek(uintptr_t address, struct wcm_symbol *symbol)
{
	(void)address;
	*symbol = *peer_symbol;
	return WCM_OK;
}

struct wcm_known_module *wcm__modules_find(uintptr_t address, enum wcm_module_state *state)
{
	(void)address, (void)state;
	return NULL;
}

bool wcm__module_find_live(struct wcm_module *module, uintptr_t address)
{
	(void)address;
	*module = (struct wcm_module){ .path = peer_symbol->module };
	return true;
}

/* The kernel's word for a path is as it is, if it is no longer than one. */
uint64_t wcm__module_file(const struct wcm_module *module, char *path)
{
	const size_t length = strlen(module->path);

	memcpy(path, module->path, length < WCM_MODULE_PATH ? length + 1 : 0);
	if (length >= WCM_MODULE_PATH)
		path[0] = '\0';
	return peer_symbol->module_offset;
}

/* TEXT is in the answer, and for a terminal but for the backslashes of escapes. */
static void check(const struct wcm_resolver *resolver, const char *text)
{
	const char *end = resolver->answer + WCM_ANSWER_SIZE;
	size_t length, size;

	if (text < resolver->answer || text >= end ||
	    (size = strnlen(text, (size_t)(end - text))) == (size_t)(end - text))
		fuzz_fail("a string that is not in the answer");
	for (; size > 0; text += length, size -= length) {
		length = *text == '\n' || *text == '\t' ?
			1 : wcm__printable_length(text, size);
		if (length == 0)
			fuzz_fail("the answer has a byte %02x", (unsigned char)*text);
	}
}

size_t resolver_check(struct wcm_resolver *resolver)
{
	struct wcm_answered answered;
	size_t count = 0;

	if (resolver->complaint)
		check(resolver, resolver->complaint);
	for (; wcm__resolver_next(resolver, &answered); count++) {
		if (answered.function)
			check(resolver, answered.function);
		if (answered.file)
			check(resolver, answered.file);
		if (answered.text)
			check(resolver, answered.text);
		if (!answered.function && !answered.file)
			fuzz_fail("nothing is known, and is said");
	}
	return count;
}
