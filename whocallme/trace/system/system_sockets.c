/* SPDX-License-Identifier: MIT */
/* system_sockets.c (SAFE) - addresses, messages and options of sockets. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/netlink.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"

WCM_GROUP(family);
WCM_GROUP(socket_bits);
WCM_GROUP(socket_kind);
WCM_STRUCT(inet);
WCM_STRUCT(inet6);
WCM_STRUCT(msghdr);
WCM_STRUCT(number_pointer);
WCM_STRUCT(sockaddr_nl);

enum { KIND_BITS = 0xf }; /* of a socket's type; the others are flags */

void wcm__system_put_socket_type(const struct wcm_system_value *value)
{
	const uint32_t type = (uint32_t)value->value;

	wcm__system_group(value->words, wcm__group_socket_kind, type & KIND_BITS);
	if (type & ~(uint32_t)KIND_BITS) {
		wcm__words_text(value->words, "|");
		wcm__system_group(value->words, wcm__group_socket_bits,
				  type & ~(uint32_t)KIND_BITS);
	}
}

/* The SIZE bytes at BYTES are a number, the highest first. */
static uint64_t from_network(const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | byte[i];
	return number;
}

static void put_network(const struct wcm_system_value *value, const char *function)
{
	wcm__words_text(value->words, function);
	wcm__words_id(value->words, (int64_t)from_network(value->bytes, value->size));
	wcm__words_text(value->words, ")");
}

void wcm__system_put_port(const struct wcm_system_value *value)
{
	put_network(value, "htons(");
}

void wcm__system_put_network_long(const struct wcm_system_value *value)
{
	put_network(value, "htonl(");
}

/* 127.0.0.1 */
static void put_quad(struct wcm_words *words, const unsigned char bytes[4])
{
	for (unsigned i = 0; i < 4; i++) {
		wcm__words_text(words, i > 0 ? "." : "");
		wcm__words_id(words, bytes[i]);
	}
}

void wcm__system_put_inet_address(const struct wcm_system_value *value)
{
	wcm__words_text(value->words, "inet_addr(\"");
	put_quad(value->words, value->bytes);
	wcm__words_text(value->words, "\")");
}

static unsigned part_of(const unsigned char *bytes, unsigned at)
{
	return (unsigned)from_network(bytes + 2 * at, 2);
}

/* The longest run of zeros, of two at least, is left out (RFC 5952); it begins at the result and
 * has *LENGTH parts. */
static unsigned longest_zeros(const unsigned char *bytes, unsigned *length)
{
	unsigned best = 8, run = 0;

	*length = 1;
	for (unsigned i = 0; i < 8; i++) {
		run = part_of(bytes, i) == 0 ? run + 1 : 0;
		if (run > *length) {
			*length = run;
			best = i + 1 - run;
		}
	}
	return best;
}

static void put_part(struct wcm_words *words, unsigned part)
{
	char digits[4];
	unsigned count = 0;

	for (int shift = 12; shift >= 0; shift -= 4)
		if (part >> shift || shift == 0)
			digits[count++] = "0123456789abcdef"[part >> shift & 0xf];
	wcm__words_span(words, digits, count);
}

static void put_eight(struct wcm_words *words, const unsigned char *bytes)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned length, zeros = longest_zeros(bytes, &length);

	if (memcmp(bytes, mapped, sizeof(mapped)) == 0) {
		wcm__words_text(words, "::ffff:");
		put_quad(words, bytes + sizeof(mapped));
		return;
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == zeros) {
			wcm__words_text(words, "::");
			i += length - 1;
			continue;
		}
		if (i > 0 && i != zeros + length)
			wcm__words_text(words, ":");
		put_part(words, part_of(bytes, i));
	}
}

void wcm__system_put_inet6_address(const struct wcm_system_value *value)
{
	wcm__words_text(value->words, "inet_pton(AF_INET6, \"");
	put_eight(value->words, value->bytes);
	wcm__words_text(value->words, "\", &sin6_addr)");
}

/* A path, or @ and a name of the abstract name space, which may be any bytes; without data, the
 * ADDRESS of either. */
static void put_unix(struct wcm_words *words, const struct sockaddr_un *name, size_t size,
		     uintptr_t address)
{
	const size_t before = offsetof(struct sockaddr_un, sun_path);
	size_t most = size - before, length = 0;
	const char *path = name->sun_path;

	if (size <= before)
		return;
	if (most > sizeof(name->sun_path))
		most = sizeof(name->sun_path);
	wcm__words_text(words, ", sun_path=");
	if (words->hides_data) {
		wcm__words_address(words, address + before);
		return;
	}
	if (*path == '\0' && most > 1) {
		wcm__words_text(words, "@");
		path++;
		most--;
		length = most;
	} else {
		while (length < most && path[length])
			length++;
	}
	wcm__words_quoted(words, path, length, true);
}

/* Any other's bytes. */
static void put_other(struct wcm_words *words, uintptr_t address, uint64_t size)
{
	const size_t before = sizeof(sa_family_t);

	if (size <= before)
		return;
	wcm__words_text(words, ", sa_data=");
	wcm__words_data(words, address + before, size - before);
}

static void put_sockaddr(const struct wcm_system_value *value, uint64_t size)
{
	struct wcm_words *words = value->words;
	union {
		sa_family_t family;
		struct sockaddr_un local;
		struct sockaddr_in inet;
		struct sockaddr_in6 inet6;
		struct sockaddr_nl netlink;
	} any;
	const size_t known = size < sizeof(any) ? (size_t)size : sizeof(any);

	memset(&any, 0, sizeof(any));
	if (known < sizeof(any.family)) {
		wcm__system_put_address(value);
		return;
	}
	if (!wcm__system_fetch(value, &any, known))
		return;
	if (any.family == AF_INET && known >= sizeof(any.inet)) {
		wcm__system_struct(value, wcm__struct_inet, &any);
	} else if (any.family == AF_INET6 && known >= sizeof(any.inet6)) {
		wcm__system_struct(value, wcm__struct_inet6, &any);
	} else if (any.family == AF_NETLINK && known >= sizeof(any.netlink)) {
		wcm__system_struct(value, wcm__struct_sockaddr_nl, &any);
	} else {
		wcm__words_text(words, "{sa_family=");
		wcm__system_group(words, wcm__group_family, any.family);
		if (any.family == AF_UNIX)
			put_unix(words, &any.local, known, (uintptr_t)value->value);
		else
			put_other(words, (uintptr_t)value->value, size);
		wcm__words_text(words, "}");
	}
}

/* The next argument is its size. */
void wcm__system_put_sockaddr(const struct wcm_system_value *value)
{
	put_sockaddr(value, (uint32_t)wcm__system_beside(value, 1));
}

/* The size that the next argument points to. */
static uint32_t size_behind(const struct wcm_system_value *value)
{
	uint32_t size = 0;

	if (!wcm__read_memory((uintptr_t)wcm__system_beside(value, 1), &size, sizeof(size)))
		return 0;
	return size;
}

void wcm__system_put_sockaddr_back(const struct wcm_system_value *value)
{
	put_sockaddr(value, size_behind(value));
}

void wcm__system_put_message_name(const struct wcm_system_value *value)
{
	const struct msghdr *message = value->whole;

	if (message->msg_name)
		put_sockaddr(value, message->msg_namelen);
	else
		wcm__words_text(value->words, "NULL");
}

/* The message says itself how many bytes were sent or received. */
void wcm__system_put_counted_message(const struct wcm_system_value *value)
{
	struct wcm_system_value message = *value;
	uint64_t left = ((const struct mmsghdr *)value->whole)->msg_len;

	message.left = &left;
	wcm__system_struct(&message, wcm__struct_msghdr, value->bytes);
}

static void put_option_value(const struct wcm_system_value *value, uint64_t size)
{
	if (size == sizeof(int32_t))
		wcm__system_struct_at(value, wcm__struct_number_pointer);
	else if (value->is_hidden)
		wcm__system_put_address(value);
	else
		wcm__words_data(value->words, (uintptr_t)value->value, size);
}

void wcm__system_put_option_value(const struct wcm_system_value *value)
{
	put_option_value(value, (uint32_t)wcm__system_beside(value, 1));
}

void wcm__system_put_option_value_back(const struct wcm_system_value *value)
{
	put_option_value(value, size_behind(value));
}
