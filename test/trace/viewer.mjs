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
const model = trace.TraceModel.Model.createWithAllHandlers();

await model.parse(traceEvents);

const { Renderer } = model.parsedTrace().data;
const threads = [...Renderer.processes.values()]
	.flatMap(process => [...process.threads.values()])
	.filter(thread => thread.entries.length > 0)
	.sort((a, b) => a.entries[0].ts - b.entries[0].ts);

threads.forEach((thread, turn) => {
	for (const entry of thread.entries) {
		const { depth } = Renderer.entryToNode.get(entry);

		console.log(`task ${turn}: ${'  '.repeat(depth)}${entry.name}`);
	}
});
