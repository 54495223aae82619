/** The page of a program with a model. The tests call its members. Its imports are the built package. */
import type { SallyportError } from '../../core/index.ts';
import { defineTool, openRuntime, type Run, type Runtime } from '../../web/index.ts';
import { openModelWorker, startWorker, type WorkerModel } from '../../web/models.ts';
import type { GivenModel } from './worker-model.ts';

type Request = Parameters<WorkerModel['propose']>[0];

/** A request in the form that the small model was trained on. */
function requestOf(task: string, maxTokens = 140): Request {
  const tool = { enum: ['math.add', 'math.sub', 'math.mul', 'notes.read', 'notes.write'] };
  const step = {
    type: 'object',
    additionalProperties: false,
    required: ['tool', 'arguments', 'goal'],
    properties: { tool, arguments: { type: 'object' }, goal: { type: 'string', maxLength: 40 } },
  };
  return {
    messages: [{ role: 'user', kind: 'task', content: task }],
    dialect: 'xct',
    tools: [],
    proposalSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['next_step'],
      properties: { next_step: step },
    },
    maxTokens,
  };
}

/** The model's file, or its first bytes alone, or a text in its place. */
export interface OpenedFile {
  readonly bytes?: number;
  readonly text?: string;
  readonly contextTokens?: number;
}

async function fetchBlob(url: string): Promise<Blob> {
  return (await fetch(url)).blob();
}

async function open({ bytes, text, contextTokens = 1024 }: OpenedFile): Promise<WorkerModel> {
  const whole = text === undefined ? await fetchBlob('/tiny.gguf') : new Blob([text]);
  const engine = await fetchBlob('/wllama.wasm');
  const given: GivenModel = { file: whole.slice(0, bytes ?? whole.size), engine, contextTokens };
  return openModelWorker('/worker-model-gguf.js', { data: given });
}

/** Tools of the model, as functions of this page that write down their calls. */
function toolsOf(calls: string[]) {
  const number = { type: 'number' } as const;
  const args = {
    type: 'object',
    properties: { a: number, b: number },
    required: ['a', 'b'],
    additionalProperties: false,
  } as const;
  return ['math.add', 'math.mul'].map((name) =>
    defineTool({
      name,
      version: '1.0.0',
      description: name,
      effect: 'read',
      args,
      run: ({ a, b }) => calls.push(`${name} ${a} ${b}`),
    }),
  );
}

/** Status of each receipt of a run, and whether its records verify. */
async function outcomeOf(runtime: Runtime, run: Run) {
  const statuses: string[] = [];
  for await (const record of run.records()) if (record.kind === 'receipt') statuses.push(record.body.receipt.status);
  const { ok } = await runtime.ledger.verify(run.id);
  return { statuses, ok };
}

let model: WorkerModel;

const device = {
  /** Opens the model; returns its members. */
  async open(file: OpenedFile = {}) {
    model = await open(file);
    const { id, locality, window } = model;
    return { id, locality, window };
  },
  /** The first tokens of the answer to a task. */
  async begin(task: string) {
    const { text } = await model.propose(requestOf(task, 16), { signal: new AbortController().signal });
    return text;
  },
  /** The answer to a task, with the pieces in which it was told. */
  async propose(task: string) {
    const pieces: string[] = [];
    const signal = new AbortController().signal;
    const answer = await model.propose(requestOf(task), { signal, onText: (text) => void pieces.push(text) });
    return { ...answer, pieces };
  },
  /** The error of a model that cannot be opened. */
  async refuse(file: OpenedFile) {
    return open(file).then(
      () => 'opened',
      (error: unknown) => {
        const { code, message, details } = error as SallyportError;
        return { code, message, details };
      },
    );
  },
  /** Runs of a single step at once on this model, one for each task. */
  async runs(tasks: readonly string[]) {
    const calls: string[] = [];
    const tools = toolsOf(calls);
    const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' as const }));
    const runtime = await openRuntime({ store: 'memory', tools, grants });
    const limits = { steps: 1 };
    const runs = tasks.map((task) => runtime.start({ dialect: 'xct', task, model, opening: 'none', limits }));
    const outcomes = await Promise.all(runs.map((run) => outcomeOf(runtime, run)));
    await runtime.close();
    return { outcomes, calls: calls.sort() };
  },
  /** Many short proposals, one after the other. */
  async repeat(times: number) {
    const signal = new AbortController().signal;
    for (let i = 0; i < times; i++) await model.propose(requestOf(`what is ${i} plus 30?`, 4), { signal });
  },
  /** Aborts at the first piece; returns the name of the error. */
  async abort(task: string) {
    const stop = new AbortController();
    const answer = model.propose(requestOf(task), { signal: stop.signal, onText: () => stop.abort() });
    return answer.then(
      () => 'answered',
      (error: unknown) => (error as Error).name,
    );
  },
  /** Closes the model at the first piece; returns the code of the error. */
  async close(task: string) {
    const signal = new AbortController().signal;
    const answer = model.propose(requestOf(task), { signal, onText: () => model.close() });
    return answer.then(
      () => 'answered',
      (error: unknown) => (error as SallyportError).code,
    );
  },
  /** The outcome of an exit in the worker's global. */
  exit(name: string, origin: string) {
    const worker = startWorker('/worker-model-exits.js');
    return new Promise<string>((resolve) => {
      const held = setTimeout(resolve, 10_000, 'no answer');
      const settle = (outcome: string): void => {
        clearTimeout(held);
        worker.terminate();
        resolve(outcome);
      };
      worker.onmessage = ({ data }: MessageEvent<{ readonly outcome?: string }>) => {
        if (data.outcome !== undefined) settle(data.outcome);
      };
      worker.onerror = ({ message }) => settle(`closed: ${message}`);
      worker.postMessage({ origin, tag: 'model', name });
    });
  },
};

export type Device = typeof device;
Object.assign(globalThis, { device });
