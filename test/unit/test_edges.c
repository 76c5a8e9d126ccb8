/* SPDX-License-Identifier: MIT */
/* test_edges.c - who called whom, in numbers, against a count made the slow way. */
#include "trace/graph/edges.h"

#include <pthread.h>

#include "support/check.h"

enum { FUNCTIONS = 700, CALLS = 200000 };

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

/* Functions stand near each other, at even addresses. */
static uintptr_t function(uint32_t number)
{
	return 0x555555554000 + 16 * (uintptr_t)number;
}

TEST(counts_as_a_matrix_does)
{
	static uint64_t matrix[FUNCTIONS][FUNCTIONS];
	struct wcm_edges edges;
	uint32_t count, filled = 0;
	const struct wcm_edge *edge;

	CHECK(wcm__edges_init(&edges, 0));
	for (int i = 0; i < CALLS; i++) {
		const uint32_t from = random_below(FUNCTIONS);
		const uint32_t to = random_below(50);
		const uint32_t found = wcm__edges_find(&edges, function(from),
						       function(to));

		CHECK(found != 0);
		wcm__edges_count(&edges.edge[found].calls, 1);
		filled += matrix[from][to]++ == 0;
	}
	edge = wcm__edges_all(&edges, &count);
	CHECK_EQ(count, filled + 1);
	CHECK_EQ(edges.node_count, 50 + 1);
	for (uint32_t i = 1; i < count; i++) {
		CHECK_EQ(edges.node[edge[i].node].func, edge[i].func);
		CHECK_EQ(edge[i].calls, matrix[(edge[i].from - function(0)) / 16]
					      [(edge[i].func - function(0)) / 16]);
	}
	wcm__edges_free(&edges);
}

TEST(what_is_not_instrumented_is_a_caller_but_no_node)
{
	struct wcm_edges edges;
	uint32_t first;

	CHECK(wcm__edges_init(&edges, 0));
	first = wcm__edges_find(&edges, 0, function(1));
	CHECK_EQ(first, 1);
	CHECK_EQ(wcm__edges_find(&edges, 0, function(1)), first);
	CHECK(wcm__edges_find(&edges, function(1), function(1)) != first);
	CHECK_EQ(wcm__edges_node(&edges, 0), 0);
	CHECK_EQ(edges.node_count, 2);
	wcm__edges_free(&edges);
}

TEST(room_that_was_asked_for_is_there)
{
	struct wcm_edges edges;
	const struct wcm_edge *before;

	CHECK(wcm__edges_init(&edges, 5000));
	before = edges.edge;
	for (uint32_t i = 0; i < 5000; i++)
		CHECK_EQ(wcm__edges_find(&edges, function(i), function(i + 1)), i + 1);
	CHECK(edges.edge == before);
	wcm__edges_free(&edges);
}

TEST(what_is_cleared_is_gone)
{
	struct wcm_edges edges;
	uint32_t count;

	CHECK(wcm__edges_init(&edges, 0));
	for (uint32_t i = 0; i < 1000; i++)
		wcm__edges_find(&edges, function(i), function(i + 1));
	wcm__edges_clear(&edges);
	wcm__edges_all(&edges, &count);
	CHECK_EQ(count, 1);
	CHECK_EQ(wcm__edges_find(&edges, function(7), function(8)), 1);
	CHECK_EQ(edges.edge[1].calls, 0);
	wcm__edges_free(&edges);
}

/* The edge to each function is taken as often as its number says. */
static void *take_edges(void *argument)
{
	struct wcm_edges *edges = argument;

	for (uint32_t i = 1; i <= 100000; i++) {
		const uint32_t found = wcm__edges_find(edges, function(0),
						       function(i));

		wcm__edges_count(&edges->edge[found].calls, i);
	}
	return NULL;
}

TEST(a_reader_sees_whole_edges_while_the_table_grows)
{
	struct wcm_edges edges;
	uint32_t count = 0, before;
	pthread_t writer;

	CHECK(wcm__edges_init(&edges, 0));
	CHECK_EQ(pthread_create(&writer, NULL, take_edges, &edges), 0);
	do {
		const struct wcm_edge *edge;

		before = count;
		edge = wcm__edges_all(&edges, &count);
		CHECK(count >= before);
		for (uint32_t i = 1; i < count; i++) {
			CHECK_EQ(edge[i].func, function(i));
			CHECK(edge[i].calls == 0 || edge[i].calls == i);
		}
	} while (count <= 100000);
	CHECK_EQ(pthread_join(writer, NULL), 0);
	wcm__edges_free(&edges);
}

RUN(counts_as_a_matrix_does, what_is_not_instrumented_is_a_caller_but_no_node,
    room_that_was_asked_for_is_there, what_is_cleared_is_gone,
    a_reader_sees_whole_edges_while_the_table_grows)
