// SPDX-License-Identifier: MIT
// viewer.mjs ENGINE JSON - what does the parser of Chrome's DevTools make of a trace?
//
// A line a call, as tree.py has it: the task, by its turn to begin, the depth and the
// name.  ENGINE is the folder of npm's package @paulirish/trace_engine, which is the
// parser behind the Performance panel.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [engine, file] = process.argv.slice(2);
const trace = await import(pathToFileURL(
	path.resolve(engine, 'models/trace/trace.js')));

globalThis.DOMRect = class {
	static fromRect(rect) {
		return rect;
	}
};

const { traceEvents } = JSON.parse(fs.readFileSync(file, 'utf8'));
const threads = [];

const model = trace.TraceModel.Model.createWithAllHandlers();

await model.parse(traceEvents);

const { Renderer } = model.parsedTrace().data;

for (const process of Renderer.processes.values())
	for (const { entries } of process.threads.values())
		if (entries.length > 0)
			threads.push({ entries, nodes: Renderer.entryToNode });
threads.sort((a, b) => a.entries[0].ts - b.entries[0].ts);

threads.forEach(({ entries, nodes }, turn) => {
	for (const entry of entries) {
		const { depth } = nodes.get(entry);

		console.log(`task ${turn}: ${'  '.repeat(depth)}${entry.name}`);
	}
});
