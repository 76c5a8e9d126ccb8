/* SPDX-License-Identifier: MIT */
/* system_sockets.c (SAFE) - addresses, messages and options of sockets. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/netlink.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"
#include "trace/system/system_tables.h"

WCM_GROUP(family);
WCM_GROUP(ip_option);
WCM_GROUP(ipv6_option);
WCM_GROUP(level);
WCM_GROUP(message);
WCM_GROUP(netlink);
WCM_GROUP(netlink_option);
WCM_GROUP(protocol);
WCM_GROUP(rights);
WCM_GROUP(socket_bits);
WCM_GROUP(socket_kind);
WCM_GROUP(socket_option);
WCM_GROUP(tcp_option);

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

void wcm__system_put_protocol_of(const struct wcm_system_value *value)
{
	switch (value->call->argument[0]) {
	case AF_INET:
	case AF_INET6:
		wcm__system_group(value->words, wcm__group_protocol, (uint32_t)value->value);
		break;
	case AF_NETLINK:
		wcm__system_group(value->words, wcm__group_netlink, (uint32_t)value->value);
		break;
	default:
		wcm__system_put_number(value);
	}
}

static void put_family(struct wcm_words *words, uint64_t family)
{
	wcm__system_group(words, wcm__group_family, family);
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

static void put_port(struct wcm_words *words, const char *name, in_port_t port)
{
	wcm__words_text(words, name);
	wcm__words_text(words, "htons(");
	wcm__words_id(words, (int64_t)from_network(&port, sizeof(port)));
	wcm__words_text(words, ")");
}

/* 127.0.0.1 */
static void put_quad(struct wcm_words *words, const unsigned char bytes[4])
{
	for (unsigned i = 0; i < 4; i++) {
		wcm__words_text(words, i > 0 ? "." : "");
		wcm__words_id(words, bytes[i]);
	}
}

static void put_inet(struct wcm_words *words, const struct sockaddr_in *address)
{
	unsigned char bytes[4];

	memcpy(bytes, &address->sin_addr, sizeof(bytes));
	put_port(words, ", sin_port=", address->sin_port);
	wcm__words_text(words, ", sin_addr=inet_addr(\"");
	put_quad(words, bytes);
	wcm__words_text(words, "\")");
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

static void put_inet6(struct wcm_words *words, const struct sockaddr_in6 *address)
{
	unsigned char bytes[16];

	memcpy(bytes, &address->sin6_addr, sizeof(bytes));
	put_port(words, ", sin6_port=", address->sin6_port);
	wcm__words_text(words, ", sin6_flowinfo=htonl(");
	wcm__words_id(words, (int64_t)from_network(&address->sin6_flowinfo,
						   sizeof(address->sin6_flowinfo)));
	wcm__words_text(words, "), inet_pton(AF_INET6, \"");
	put_eight(words, bytes);
	wcm__words_text(words, "\", &sin6_addr), sin6_scope_id=");
	wcm__words_id(words, address->sin6_scope_id);
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

static void put_netlink(struct wcm_words *words, const struct sockaddr_nl *address)
{
	wcm__words_text(words, ", nl_pid=");
	wcm__words_id(words, address->nl_pid);
	wcm__words_text(words, ", nl_groups=");
	wcm__system_hex(words, address->nl_groups);
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
	wcm__system_member(words, "{sa_family=", any.family, put_family);
	if (any.family == AF_UNIX)
		put_unix(words, &any.local, known, (uintptr_t)value->value);
	else if (any.family == AF_INET && known >= sizeof(any.inet))
		put_inet(words, &any.inet);
	else if (any.family == AF_INET6 && known >= sizeof(any.inet6))
		put_inet6(words, &any.inet6);
	else if (any.family == AF_NETLINK && known >= sizeof(any.netlink))
		put_netlink(words, &any.netlink);
	else
		put_other(words, (uintptr_t)value->value, size);
	wcm__words_text(words, "}");
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

static void put_control(struct wcm_words *words, const struct cmsghdr *control)
{
	wcm__words_text(words, "{cmsg_len=");
	wcm__words_unsigned(words, control->cmsg_len);
	wcm__words_text(words, ", cmsg_level=");
	wcm__system_group(words, wcm__group_level, (uint32_t)control->cmsg_level);
	wcm__words_text(words, ", cmsg_type=");
	if (control->cmsg_level == SOL_SOCKET)
		wcm__system_group(words, wcm__group_rights, (uint32_t)control->cmsg_type);
	else
		wcm__system_hex(words, (uint32_t)control->cmsg_type);
	wcm__words_text(words, ", ...}");
}

/* The first of the messages beside the data, which tells of the others. */
static void put_controls(struct wcm_words *words, const struct msghdr *message)
{
	struct cmsghdr control;

	if (message->msg_controllen >= sizeof(control)) {
		wcm__words_text(words, ", msg_control=");
		if (wcm__read_memory((uintptr_t)message->msg_control, &control,
				     sizeof(control))) {
			wcm__words_text(words, "[");
			put_control(words, &control);
			wcm__words_text(words, "]");
		} else {
			wcm__words_address(words, (uintptr_t)message->msg_control);
		}
	}
	wcm__words_text(words, ", msg_controllen=");
	wcm__words_unsigned(words, message->msg_controllen);
}

static void put_message(const struct wcm_system_value *value, const struct msghdr *message,
			uint64_t left)
{
	struct wcm_system_value name = *value;

	name.value = (uintptr_t)message->msg_name;
	wcm__words_text(value->words, "{msg_name=");
	if (message->msg_name)
		put_sockaddr(&name, message->msg_namelen);
	else
		wcm__words_text(value->words, "NULL");
	wcm__words_text(value->words, ", msg_namelen=");
	wcm__words_unsigned(value->words, message->msg_namelen);
	wcm__words_text(value->words, ", msg_iov=");
	wcm__system_iovec(value, (uintptr_t)message->msg_iov, (uint64_t)message->msg_iovlen, left);
	wcm__words_text(value->words, ", msg_iovlen=");
	wcm__words_unsigned(value->words, (uint64_t)message->msg_iovlen);
	put_controls(value->words, message);
	wcm__words_text(value->words, ", msg_flags=");
	wcm__system_group(value->words, wcm__group_message, (uint32_t)message->msg_flags);
	wcm__words_text(value->words, "}");
}

void wcm__system_put_msghdr(const struct wcm_system_value *value)
{
	struct msghdr message;

	if (wcm__system_fetch(value, &message, sizeof(message)))
		put_message(value, &message,
			    value->is_later ? (uint64_t)value->call->result : UINT64_MAX);
}

static void put_counted(const struct wcm_system_value *value, const void *element)
{
	struct mmsghdr message;

	memcpy(&message, element, sizeof(message));
	wcm__words_text(value->words, "{msg_hdr=");
	put_message(value, &message.msg_hdr, value->is_later ? message.msg_len : UINT64_MAX);
	if (value->is_later) {
		wcm__words_text(value->words, ", msg_len=");
		wcm__words_unsigned(value->words, message.msg_len);
	}
	wcm__words_text(value->words, "}");
}

void wcm__system_put_mmsghdr(const struct wcm_system_value *value)
{
	const uint64_t count = value->is_later ? (uint64_t)value->call->result :
						 (uint32_t)wcm__system_beside(value, 1);

	wcm__system_array(value, count, sizeof(struct mmsghdr), put_counted);
}

void wcm__system_put_option(const struct wcm_system_value *value)
{
	const uint32_t option = (uint32_t)value->value;

	switch (wcm__system_beside(value, -1)) {
	case SOL_SOCKET:
		wcm__system_group(value->words, wcm__group_socket_option, option);
		break;
	case IPPROTO_IP:
		wcm__system_group(value->words, wcm__group_ip_option, option);
		break;
	case IPPROTO_IPV6:
		wcm__system_group(value->words, wcm__group_ipv6_option, option);
		break;
	case IPPROTO_TCP:
		wcm__system_group(value->words, wcm__group_tcp_option, option);
		break;
	case SOL_NETLINK:
		wcm__system_group(value->words, wcm__group_netlink_option, option);
		break;
	default:
		wcm__system_hex(value->words, option);
	}
}

/* How much room there is, unless the call tells how much there is. */
void wcm__system_put_room_pointer(const struct wcm_system_value *value)
{
	struct wcm_system_value now = *value;

	now.is_later = false;
	wcm__system_put_number_pointer(&now);
}

static void put_option_value(const struct wcm_system_value *value, uint64_t size)
{
	if (size == sizeof(int32_t))
		wcm__system_put_number_pointer(value);
	else if (value->is_later && !value->is_done)
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
