/* SPDX-License-Identifier: MIT */
/* rule_cache.c (SAFE) - remembers compact rules, by pc. */
#include "core/unwind/rule_cache.h"

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/slab.h"

enum { WORD = sizeof(uintptr_t), LINE = WCM_RULE_WAYS * sizeof(uint64_t) };

static uint64_t least[WCM_RULE_LEAST_BYTES / sizeof(uint64_t)]
	__attribute__((aligned(LINE)));

/* The table and the mask are two variables, which cannot change at once. grow() stores the
 * larger table first, then the mask, and readers load the mask first: whoever sees the larger
 * mask sees a table that is large enough.  One who sees the old mask with the new table looks
 * into its lower part, which is mapped, and finds nothing there at worst. */
unsigned char *wcm__rule_lines = (unsigned char *)least;
uintptr_t wcm__rule_mask = WCM_RULE_LEAST_BYTES - sizeof(uint64_t);

static size_t most_bytes = WCM_RULE_MOST_BYTES;
/* A race between two threads may count an entry twice or not at all, which moves the moment of
 * the next doubling and nothing else. */
static size_t filled; /* about how many entries */
static unsigned has_epochs; /* some may carry one; a word, which every CPU exchanges */

/* Whether RA is one that a key can stand for.  An empty entry is 0.  A pc that lies so low that
 * its key has bits only where those of a rule are would find its rule in an empty entry. */
static bool is_cacheable(uintptr_t ra)
{
	return (uint64_t)ra >> WCM_RULE_PC_BITS == 0 &&
	       ra >> WCM_RULE_HIGH_AT != 0;
}

/* The offset that the slot stands for. */
static int slot_offset(const struct wcm_rule *rule)
{
	return WCM_HAS_LINK_REGISTER ? rule->ra_off : rule->fp_off;
}

/* The slot at OFFSET from the end of a frame of SIZE bytes; WCM_RULE_SLOT_END: there is none. */
static unsigned slot_of(int32_t offset, int32_t size)
{
	const int down = -offset / WORD - 1, up = (offset + size) / WORD;
	const int most = WCM_HAS_LINK_REGISTER ? WCM_RULE_SLOT_BASE : WCM_RULE_SLOT_END;

	if (offset % WORD != 0 || offset >= 0 || offset < -size)
		return WCM_RULE_SLOT_END;
	if (down < most)
		return (unsigned)down;
	return most + up < WCM_RULE_SLOT_END ? (unsigned)(most + up) : WCM_RULE_SLOT_END;
}

/* Whether the return address and the frame pointer are where the slot says. */
static bool has_slot(const struct wcm_rule *rule)
{
	if (WCM_HAS_LINK_REGISTER) {
		if (rule->fp_saved && (rule->fp_off != rule->ra_off - WORD ||
				       rule->fp_off < -rule->cfa_off))
			return false;
	} else if (rule->ra_off != -WORD || !rule->fp_saved) {
		return rule->ra_off == -WORD;
	}
	return slot_of(slot_offset(rule), rule->cfa_off) < WCM_RULE_SLOT_END;
}

/* What is saved lies inside the frame.  The stride in stride.c relies on all of this and does
 * not check it again: a CFA above the base and aligned, the return address where the slot says,
 * or in the last word, and the saved frame pointer in the frame. */
static bool fits(const struct wcm_rule *rule)
{
	if (rule->base == WCM_BASE_NONE || rule->base == WCM_BASE_SIGNAL)
		return true;
	return rule->cfa_off > 0 && rule->cfa_off % WORD == 0 &&
	       rule->cfa_off / WORD < 1 << WCM_RULE_CFA_BITS && rule->ra_saved &&
	       has_slot(rule);
}

/* A trampoline has no CFA, but the frame pointer is saved. */
#define SIGNAL (WCM_RULE_OUTERMOST | WCM_RULE_FP_SAVED)

/* A CFA of 0 words is free for the two rules that have no CFA. */
static uint64_t pack(const struct wcm_rule *rule)
{
	uint64_t packed = (uint64_t)(rule->cfa_off / WORD);

	if (rule->base == WCM_BASE_NONE)
		return WCM_RULE_OUTERMOST;
	if (rule->base == WCM_BASE_SIGNAL)
		return SIGNAL;
	if (rule->base == WCM_BASE_FP)
		packed |= WCM_RULE_BY_FP;
	if (rule->fp_saved)
		packed |= WCM_RULE_FP_SAVED;
	if (rule->fp_saved || WCM_HAS_LINK_REGISTER)
		packed |= (uint64_t)slot_of(slot_offset(rule), rule->cfa_off)
			  << WCM_RULE_SLOT_AT;
	return packed;
}

static struct wcm_rule unpack(uint64_t packed)
{
	const uintptr_t cfa_off = (uintptr_t)(packed & WCM_RULE_CFA) * WORD;
	const bool is_saved = packed & WCM_RULE_FP_SAVED;
	const uintptr_t ra = wcm__rule_ra_at(packed, 0, cfa_off);

	if (cfa_off == 0)
		return (struct wcm_rule){ .base = is_saved ? WCM_BASE_SIGNAL
							   : WCM_BASE_NONE };
	return (struct wcm_rule){
		.base = packed & WCM_RULE_BY_FP ? WCM_BASE_FP : WCM_BASE_SP,
		.cfa_off = (int32_t)cfa_off,
		.ra_saved = true,
		.ra_off = (int16_t)(ra - cfa_off),
		.fp_saved = is_saved,
		.fp_off = (int16_t)(is_saved ? wcm__rule_fp_at(packed, ra) - cfa_off : 0),
	};
}

/* The mask clears the bits above the table; those of the way within the line are cleared here. */
static uint64_t *line_of(const unsigned char *lines, uintptr_t mask, uintptr_t ra)
{
	return (uint64_t *)(uintptr_t)(lines + (ra & mask & ~(uintptr_t)(LINE - 1)));
}

/* All are looked at: where in a line an entry is, is as good as random, and a jump by it would
 * cost more.  Another thread may store an entry meanwhile: each is loaded once and is one that
 * was whole, and the compare is with all of the pc. */
uint64_t wcm__rule_search(const struct wcm_rules *rules, uintptr_t ra)
{
	const uint64_t *line = line_of(rules->lines, rules->mask, ra);
	const uint64_t key = wcm__rule_key(ra), foreign = rules->foreign;
	uint64_t found = 0;

	for (unsigned i = 0; i < WCM_RULE_WAYS; i++) {
		const uint64_t entry = __atomic_load_n(&line[i], __ATOMIC_RELAXED);

		found = ((entry ^ key) & foreign) == 0 ? entry : found;
	}
	return found;
}

bool wcm__rule_cache_get(struct wcm_rule *rule, const struct wcm_rules *rules,
			 uintptr_t pc)
{
	/* The key is the return address of a call, behind the site that a rule is found for, so
	 * that a stride need not subtract. */
	const uintptr_t ra = wcm__rule_return(pc);
	uint64_t packed;

	if (!is_cacheable(ra))
		return false;
	packed = wcm__rule_search(rules, ra) ^ wcm__rule_key(ra);
	if ((packed & rules->foreign) != 0)
		return false;
	*rule = unpack(packed);
	return true;
}

/* Bytes of address space for the largest table. */
static size_t room(void)
{
	return wcm__slab_is_bounded() ? WCM_RULE_MOST_BYTES / 16 : WCM_RULE_MOST_BYTES;
}

/* That address space.  Who comes second gives back what it has got.  PROT_NONE
 * and NORESERVE: this takes address space and no memory, and counts for no limit but RLIMIT_AS.
 * It is never given back, since a reader in a handler may hold a pointer to it. */
static unsigned char *reserve(void)
{
	static unsigned char *reserved;
	unsigned char *known = __atomic_load_n(&reserved, __ATOMIC_ACQUIRE);
	long got;

	if (known)
		return known;
	got = wcm__mmap(NULL, room(), PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (wcm__is_error(got))
		return NULL;
	if (!__atomic_compare_exchange_n(&reserved, &known, (unsigned char *)got, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		wcm__unmap((void *)got, room());
		return known;
	}
	return (unsigned char *)got;
}

/* Double the table of MASK.  Several may do so at once: the first whose mask counts has done it.
 * The table of .bss is not copied: its entries are met again.  From the second doubling on the
 * lines stay where they are; of each entry that is there, one bit more of the pc now chooses
 * between its line and a new one, so that half of them are found as before. */
static void grow(uintptr_t mask)
{
	const size_t bytes = 2 * (mask + sizeof(uint64_t));
	/* Where several double the same table, mprotect() of what is open already changes
	 * nothing. */
	const size_t before = __atomic_load_n(&filled, __ATOMIC_RELAXED);
	unsigned char *lines = bytes <= most_bytes && bytes <= room() ? reserve() : NULL;

	if (!lines || wcm__mprotect(lines, bytes, PROT_READ | PROT_WRITE) != 0) {
		/* Asked again when as many more have come. */
		__atomic_store_n(&filled, 0, __ATOMIC_RELAXED);
		return;
	}
	__atomic_store_n(&wcm__rule_lines, lines, __ATOMIC_RELEASE);
	/* Fails for all but one, whose count is then the right one. */
	if (__atomic_compare_exchange_n(&wcm__rule_mask, &mask, bytes - sizeof(uint64_t),
					false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		__atomic_store_n(&filled, bytes > 2 * sizeof(least) ? before / 2 : 0,
				 __ATOMIC_RELAXED);
}

void wcm__rule_cache_limit(size_t bytes)
{
	__atomic_store_n(&most_bytes,
			 bytes < WCM_RULE_MOST_BYTES ? bytes : WCM_RULE_MOST_BYTES,
			 __ATOMIC_RELAXED);
}

size_t wcm__rule_cache_bytes(void)
{
	return __atomic_load_n(&wcm__rule_mask, __ATOMIC_RELAXED) + sizeof(uint64_t);
}

/* Whether ENTRY, in RA's line, is found there: not if it came before the table grew.  ABOVE are
 * the bits of the pc that choose the line beyond those of the least table.  An entry holds its
 * pc whole, so they can be compared with RA's. */
static bool belongs(uint64_t entry, uintptr_t mask, uintptr_t ra)
{
	const uint64_t above = mask >> WCM_RULE_HIGH_AT;

	return entry != 0 &&
	       ((entry ^ wcm__rule_key(ra)) >> (WCM_RULE_KEY_AT + WCM_RULE_HIGH_AT) & above) == 0;
}

/* That of ENTRY, which is in RA's line: the bits in its way are those that chose it.  RA need
 * not be the entry's own: all return addresses of a line have these bits in common. */
static uint64_t epoch_of(uint64_t entry, uintptr_t ra)
{
	return ((entry ^ wcm__rule_key(ra)) & WCM_RULE_EPOCH) >> WCM_RULE_EPOCH_AT;
}

/* Whether it still counts: not if it is of an epoch that is over. */
static bool is_of_use(uint64_t entry, uintptr_t mask, uintptr_t ra)
{
	const uint64_t epoch = epoch_of(entry, ra);

	return belongs(entry, mask, ra) && (epoch == 0 || epoch == wcm__epoch());
}

/* The way that RA's entry goes to: its own if that is of no use, or the next that is not, or
 * where it is; where the line is full, any.  Two entries of one RA say the same.  The way is
 * chosen before the exchange, without a lock: another thread may take the same one meanwhile,
 * and one of the two entries is lost, which costs a look-up. */
static unsigned choose_way(const uint64_t *line, uintptr_t mask, uintptr_t ra)
{
	static unsigned turn;
	const unsigned own = ra / sizeof(uint64_t) % WCM_RULE_WAYS;

	for (unsigned i = 0; i < WCM_RULE_WAYS; i++) {
		const uint64_t entry = __atomic_load_n(&line[own ^ i], __ATOMIC_RELAXED);

		if (!is_of_use(entry, mask, ra) ||
		    ((entry ^ wcm__rule_key(ra)) & ~(WCM_RULE_ALL | WCM_RULE_EPOCH)) == 0)
			return own ^ i;
	}
	/* Round robin by one counter for all lines, as good as random for each. */
	return __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % WCM_RULE_WAYS;
}

/* Whether ENTRY has not only taken the place of one that counts no longer, BEFORE, or
 * that would share its line in any table. */
static bool is_one_more(uint64_t before, uint64_t entry, uintptr_t mask, uintptr_t ra)
{
	return !belongs(before, mask, ra) ||
	       (is_of_use(before, mask, ra) &&
		(before ^ entry) >> (WCM_RULE_KEY_AT + WCM_RULE_HIGH_AT) != 0);
}

/* A large table is denser: beyond the processor's second cache a frame waits longer. */
static bool is_full(size_t count, uintptr_t mask)
{
	enum { LARGE = 128 << 10, SPARSE = 4, DENSE = 2 };

	return count * sizeof(uint64_t) * (mask < LARGE ? SPARSE : DENSE) > mask;
}

void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc, unsigned epoch)
{
	const uintptr_t mask = __atomic_load_n(&wcm__rule_mask, __ATOMIC_ACQUIRE);
	const unsigned char *lines = __atomic_load_n(&wcm__rule_lines, __ATOMIC_RELAXED);
	const uintptr_t ra = wcm__rule_return(pc);
	const uint64_t entry = (pack(rule) | (uint64_t)epoch << WCM_RULE_EPOCH_AT) ^
			       wcm__rule_key(ra);
	uint64_t *line = line_of(lines, mask, ra), before;
	unsigned way;

	if (!is_cacheable(ra) || !fits(rule))
		return;
	way = choose_way(line, mask, ra);
	/* Before the entry is there, while its code is held: no forgetting is between. */
	if (epoch != 0)
		__atomic_store_n(&has_epochs, 1, __ATOMIC_RELAXED);
	before = __atomic_exchange_n(&line[way], entry, __ATOMIC_RELAXED);
	if (is_one_more(before, entry, mask, ra) &&
	    is_full(__atomic_add_fetch(&filled, 1, __ATOMIC_RELAXED), mask))
		grow(mask);
}

/* While an unloading is under way nothing that can be unloaded is described, so that no entry
 * with an epoch comes meanwhile.  Other threads may enter lasting rules, which the
 * compare-and-exchange leaves alone, and grow the table, whose new part has no epochs. */
void wcm__rule_cache_forget_epochs(void)
{
	const struct wcm_rules rules = wcm__rules();
	uint64_t *entries = line_of(rules.lines, rules.mask, 0);
	const size_t count = rules.mask / sizeof(*entries) + 1;

	if (!__atomic_exchange_n(&has_epochs, 0, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t entry = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);

		if (entry != 0 && epoch_of(entry, i * sizeof(entry)) != 0)
			__atomic_compare_exchange_n(&entries[i], &entry, 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}
