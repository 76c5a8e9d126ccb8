/* SPDX-License-Identifier: MIT */
/* flame_page.c - writes a flame graph as a page of HTML, or a drawing in SVG, that needs nothing
 * else.
 *
 * Frames are laid out in percent and in em, so that a viewer without scripts shows all of them at
 * any width.  The script zooms and searches.  It takes names from the titles of frames, so that no
 * name is ever part of its text; in a page it comes after the drawing, for HTML would read
 * a "<" in a script of SVG as a tag.
 */
#include "graph/flame_page.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"

enum { HEAD = 3 /* rows above the frames */, MOST_FRAMES = 20000, COLOURS = 8 };

static const char style[] =
	"<style>\n"
	"svg.flame{font:clamp(12px,10px + .35vw,24px) sans-serif;color-scheme:light dark;"
	"background:#fff;display:block}\n"
	"svg.flame text{fill:#111}\n"
	".f{cursor:pointer}.f rect{stroke:#fff;stroke-width:1px}\n"
	".c0 rect{fill:#f6c177}.c1 rect{fill:#f2a65a}.c2 rect{fill:#f7b267}.c3 rect{fill:#f4845f}"
	".c4 rect{fill:#f9d976}.c5 rect{fill:#f5b895}.c6 rect{fill:#ffca7a}.c7 rect{fill:#f79d65}\n"
	".above{opacity:.55}.f.hit rect{fill:#c77dff}\n"
	".bar{font:inherit;color:#111}.bar p{margin:0;padding:.2em .4em;white-space:nowrap;"
	"overflow:hidden;text-overflow:ellipsis}\n"
	".bar input{font:inherit;width:9em;max-width:40%}.bar button{font:inherit}\n"
	"@media(prefers-color-scheme:dark){svg.flame{background:#16161a}"
	"svg.flame text,.bar{fill:#f4f4f4;color:#f4f4f4}.f rect{stroke:#16161a}\n"
	".c0 rect{fill:#7a4a12}.c1 rect{fill:#84450f}.c2 rect{fill:#7d5220}.c3 rect{fill:#8a3a20}"
	".c4 rect{fill:#6b5a14}.c5 rect{fill:#7c4a35}.c6 rect{fill:#75561f}.c7 rect{fill:#86471e}"
	".f.hit rect{fill:#7b2cbf}}\n"
	"</style>\n";

/* No "</" and no "]]>": it is text of a page, and of a drawing. */
static const char script[] =
	"(function(){'use strict';\n"
	"var top=document.querySelector('svg.flame'),bar=top.querySelector('.bar');\n"
	"var what=bar.querySelector('.what'),box=bar.querySelector('input'),\n"
	" found=bar.querySelector('.found');\n"
	"var all=[].slice.call(top.querySelectorAll('.f')).map(function(e){\n"
	" return{e:e,x:parseFloat(e.getAttribute('x')),w:parseFloat(e.getAttribute('width')),\n"
	"  d:parseFloat(e.getAttribute('y')),t:e.querySelector('title').textContent,\n"
	"  r:e.querySelector('text')};});\n"
	"var near=1e-3,at=null,idle=what.textContent;\n"
	"function fit(){var em=parseFloat(getComputedStyle(top).fontSize),\n"
	" width=top.getBoundingClientRect().width;\n"
	" all.forEach(function(f){f.r.style.display=f.s/100*width>=2.5*em?'':'none';});}\n"
	"function put(f,x,w){f.s=w;f.e.style.display=w>0?'':'none';\n"
	" f.e.setAttribute('x',x+'%');f.e.setAttribute('width',w+'%');}\n"
	"function zoom(t){at=t;all.forEach(function(f){\n"
	" var is_above=t&&f.d<t.d,holds=is_above&&f.x<=t.x+near&&f.x+f.w>=t.x+t.w-near;\n"
	" f.e.classList.toggle('above',!!holds);\n"
	" if(!t)put(f,f.x,f.w);\n"
	" else if(holds)put(f,0,100);\n"
	" else if(!is_above&&f.x>=t.x-near&&f.x+f.w<=t.x+t.w+near)\n"
	"  put(f,(f.x-t.x)*100/t.w,f.w*100/t.w);\n"
	" else put(f,0,0);});fit();}\n"
	"function search(){var q=box.value.toLowerCase(),covered=0,sum=0,n=0;\n"
	" all.slice().sort(function(a,b){return a.x-b.x||a.d-b.d;}).forEach(function(f){\n"
	"  var hit=q!==''&&f.t.split('\\n')[0].toLowerCase().indexOf(q)>=0;\n"
	"  f.e.classList.toggle('hit',hit);\n"
	"  if(hit){n++;if(f.x>=covered-near/10){sum+=f.w;covered=f.x+f.w;}}});\n"
	" found.textContent=q===''?'':n+' found, '+sum.toFixed(1)+' %';}\n"
	"all.forEach(function(f){\n"
	" f.e.addEventListener('click',function(){zoom(at===f?null:f);\n"
	"  what.textContent=f.t.replace('\\n',': ');});\n"
	" f.e.addEventListener('mouseenter',function(){\n"
	"  what.textContent=f.t.replace('\\n',': ');});\n"
	" f.e.addEventListener('mouseleave',function(){\n"
	"  what.textContent=at?at.t.replace('\\n',': '):idle;});});\n"
	"box.addEventListener('input',search);\n"
	"bar.querySelector('button').addEventListener('click',function(){\n"
	" box.value='';search();zoom(null);what.textContent=idle;});\n"
	"addEventListener('keydown',function(e){\n"
	" if(e.key==='Escape')bar.querySelector('button').click();\n"
	" if(e.key==='/'&&e.target!==box){e.preventDefault();box.focus();}});\n"
	"addEventListener('resize',fit);zoom(null);\n"
	"})();\n";

/* As text, or the value of an attribute, of HTML and XML alike.  What XML forbids is escaped in
 * names already. */
static void put_text(const char *text)
{
	for (; *text; text++)
		if (strchr("&<>\"'", *text))
			printf("&#%d;", *text);
		else
			putchar(*text);
}

/* The colour of a function is the same in all pages. */
static unsigned colour_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash >> 16) % COLOURS;
}

static void put_value(const struct flame_page *page, uint64_t value)
{
	char text[NUMBER_SIZE];

	if (page->has_times)
		fputs(duration_brief(value, text), stdout);
	else
		printf("%s %s", number_grouped(value, text), value == 1 ? "call" : "calls");
}

static double share(uint64_t value, uint64_t whole)
{
	return whole > 0 ? 100. * (double)value / (double)whole : 0;
}

/* Each frame begins where the one before it under the same parent ends. */
static void lay_out(struct flame_frame *frames, size_t count)
{
	for (size_t i = count; i-- > 1;)
		frames[frames[i].parent].value += frames[i].value;
	frames[0].at = 0;
	frames[0].depth = 0;
	for (size_t i = 1; i < count; i++) {
		struct flame_frame *parent = &frames[frames[i].parent];

		frames[i].depth = parent->depth + 1;
		frames[i].at = parent->at;
		/* Meanwhile AT of a parent is where its next frame begins. */
		parent->at += share(frames[i].value, frames[0].value);
	}
}

/* AT of a parent is where its last child ends: its own time comes last. */
static void put_back(struct flame_frame *frames, size_t count)
{
	for (size_t i = count; i-- > 1;)
		frames[frames[i].parent].at -= share(frames[i].value, frames[0].value);
}

struct bounds {
	uint64_t least; /* value */
	unsigned deepest;
};

static bool is_within(const struct bounds *bounds, const struct flame_frame *frame)
{
	return frame->value >= bounds->least && frame->depth <= bounds->deepest;
}

static size_t count_within(const struct bounds *bounds, const struct flame_frame *frames,
			   size_t count)
{
	size_t within = 0;

	for (size_t i = 1; i < count; i++)
		within += is_within(bounds, &frames[i]);
	return within;
}

/* What is shown: no more frames than a browser can hold.  The narrow ones go first; where all are
 * wide, as in a recursion, the deep ones. */
static struct bounds choose_frames(const struct flame_frame *frames, size_t count)
{
	struct bounds bounds = { 1, UINT_MAX };
	unsigned low = 1, high = 1;

	while (count_within(&bounds, frames, count) > MOST_FRAMES) {
		const struct bounds next = { bounds.least * 2, UINT_MAX };

		if (bounds.least > frames[0].value / 2 || count_within(&next, frames, count) == 0)
			break;
		bounds = next;
	}
	for (size_t i = 1; i < count; i++)
		if (frames[i].value >= bounds.least && frames[i].depth > high)
			high = frames[i].depth;
	while (low < high) {
		bounds.deepest = low + (high - low + 1) / 2;
		if (count_within(&bounds, frames, count) > MOST_FRAMES)
			high = bounds.deepest - 1;
		else
			low = bounds.deepest;
	}
	bounds.deepest = low;
	return bounds;
}

static void put_frame(const struct flame_page *page, const struct flame_frame *frame,
		      uint64_t whole)
{
	const double wide = share(frame->value, whole);

	printf("<svg class=\"f c%u\" x=\"%.4f%%\" width=\"%.4f%%\" y=\"%.1fem\" height=\"1.6em\">"
	       "<title>", colour_of(frame->name), frame->at, wide,
	       1.6 * (HEAD + frame->depth - 1));
	put_text(frame->name);
	putchar('\n');
	put_value(page, frame->value);
	printf(", %.2f %%</title><rect width=\"100%%\" height=\"100%%\"/>"
	       "<text x=\".25em\" y=\"1.15em\">", wide);
	put_text(frame->name);
	puts("</text></svg>");
}

static void put_controls(const struct flame_page *page, uint64_t whole)
{
	fputs("<foreignObject x=\"0\" y=\"0\" width=\"100%\" height=\"4.7em\">"
	      "<div class=\"bar\" xmlns=\"http://www.w3.org/1999/xhtml\">"
	      "<p class=\"what\">", stdout);
	put_text(page->title);
	fputs(": ", stdout);
	put_value(page, whole);
	if (page->left_out > 0)
		printf("; %zu frames, too narrow or too deep, are left out", page->left_out);
	puts("</p><p><input type=\"search\" placeholder=\"Search (/)\" aria-label=\"Search\" /> "
	     "<button type=\"button\">Reset</button> <span class=\"found\"></span></p></div>"
	     "</foreignObject>");
}

static void put_drawing(struct flame_page *page, const struct flame_frame *frames, size_t count)
{
	const struct bounds bounds = choose_frames(frames, count);

	page->left_out += count - 1 - count_within(&bounds, frames, count);
	printf("<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
	       "height=\"%.1fem\">\n", 1.6 * (HEAD + bounds.deepest + 1));
	fputs(style, stdout);
	put_controls(page, frames[0].value);
	for (size_t i = 1; i < count; i++)
		if (is_within(&bounds, &frames[i]))
			put_frame(page, &frames[i], frames[0].value);
	if (!page->is_html)
		printf("<script><![CDATA[\n%s]]></script>\n", script);
	puts("</svg>");
}

void flame_page_write(struct flame_page *page, struct flame_frame *frames, size_t count)
{
	lay_out(frames, count);
	put_back(frames, count);
	page->left_out = 0;
	if (!page->is_html) {
		put_drawing(page, frames, count);
		return;
	}
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>", stdout);
	put_text(page->title);
	puts("</title>\n<style>html{color-scheme:light dark;background:#fff}body{margin:0}"
	     "@media(prefers-color-scheme:dark){html{background:#16161a}}</style>\n"
	     "</head>\n<body>");
	put_drawing(page, frames, count);
	printf("<script>\n%s</script>\n</body>\n</html>\n", script);
}
