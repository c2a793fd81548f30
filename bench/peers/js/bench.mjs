// The workloads of bench/peers on LangGraph.js. Prints lines like those of `go test -bench`:
//
//   npm ci && node bench.mjs [--count 3] [--only Loop]
//
// Every run is checked: a wrong last state or a missing checkpoint ends the program with status 1.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Annotation, END, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const loopSteps = 1000;
const fanOut = 100;

const lines = Array.from({ length: 16 }, (_, i) => `line ${i}`);

const State = Annotation.Root({ count: Annotation(), log: Annotation() });

function next(s) {
  return { count: s.count + 1, log: [...s.log.slice(-7), lines[s.count & 15]] };
}

const want = (() => {
  let s = { count: 0, log: [] };
  for (let i = 0; i < loopSteps; i++) s = next(s);
  return JSON.stringify(s);
})();

function loop(checkpointer) {
  return new StateGraph(State)
    .addNode("loop", next)
    .addEdge(START, "loop")
    .addConditionalEdges("loop", (s) => (s.count < loopSteps ? "loop" : END), ["loop", END])
    .compile({ checkpointer });
}

async function runLoop(app, config = {}) {
  const { count, log } = await app.invoke({ count: 0, log: [] }, { recursionLimit: loopSteps + 1, ...config });
  if (JSON.stringify({ count, log }) !== want) throw new Error(`wrong state: ${JSON.stringify({ count, log })}`);
}

// durable runs the loop on a thread of its own each time, and counts what it has left.
function durable(saver) {
  const app = loop(saver);
  let runs = 0;
  const run = async () => {
    runs++;
    await runLoop(app, { configurable: { thread_id: String(runs) }, durability: "sync" });
  };
  const saved = async () => {
    let n = 0;
    for await (const _ of saver.list({ configurable: { thread_id: String(runs) } })) n++;
    if (n < loopSteps || n > loopSteps + 10) throw new Error(`${n} checkpoints for ${loopSteps} steps`);
  };
  return { run, saved };
}

const workloads = {
  Loop: () => {
    const app = loop();
    return { steps: loopSteps, run: () => runLoop(app) };
  },
  FanOut: () => {
    const Bag = Annotation.Root({ items: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
    const app = new StateGraph(Bag)
      .addNode("split", () => ({}))
      .addNode("fetch", ({ i }) => ({ items: [i] }))
      .addNode("sum", () => ({}))
      .addEdge(START, "split")
      .addConditionalEdges("split", () => Array.from({ length: fanOut }, (_, i) => new Send("fetch", { i })), ["fetch"])
      .addEdge("fetch", "sum")
      .addEdge("sum", END)
      .compile();
    const run = async () => {
      const { items } = await app.invoke({});
      const sorted = items.toSorted((a, b) => a - b);
      if (sorted.length !== fanOut || sorted.some((v, i) => v !== i)) throw new Error(`wrong items: ${items}`);
    };
    return { steps: 1, run };
  },
  History: () => ({ steps: loopSteps, ...durable(new MemorySaver()) }),
  SQLite: () => {
    const dir = mkdtempSync(join(tmpdir(), "langgraphjs"));
    const saver = SqliteSaver.fromConnString(join(dir, "bench.db"));
    saver.db.pragma("journal_mode = WAL");
    saver.db.pragma("synchronous = NORMAL");
    const close = () => {
      saver.db.close();
      rmSync(dir, { recursive: true });
    };
    return { steps: loopSteps, ...durable(saver), close };
  },
};

async function measure(name, count) {
  const w = workloads[name]();
  try {
    await w.run(); // the just-in-time compiler warms up
    for (let i = 0; i < count; i++) {
      const start = process.hrtime.bigint();
      let n = 0;
      do {
        await w.run();
        n++;
      } while (process.hrtime.bigint() - start < 1_000_000_000n);
      const ns = Number(process.hrtime.bigint() - start) / n;
      if (w.saved) await w.saved();
      const perStep = w.steps > 1 ? `\t${(ns / w.steps).toFixed(0)} ns/step` : "";
      console.log(`Benchmark${name}/langgraphjs\t${n}\t${ns.toFixed(0)} ns/op${perStep}`);
    }
  } finally {
    w.close?.();
  }
}

const { values } = parseArgs({ options: { count: { type: "string", default: "3" }, only: { type: "string", default: "" } } });
console.log("pkg: github.com/kbagent/kbagent/bench/peers/js");
for (const name of Object.keys(workloads)) {
  if (name.includes(values.only)) await measure(name, Number(values.count));
}
