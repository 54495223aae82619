/** The page of a program with a model. The tests call its members. */
import { openModelWorker, startWorker, type WorkerModel } from '../../web/models.ts';

type Request = Parameters<WorkerModel['propose']>[0];

/** A request in the form that the small model was trained on. */
function requestOf(task: string): Request {
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
    maxTokens: 140,
  };
}

async function open(cut?: number): Promise<WorkerModel> {
  const data = await (await fetch('/tiny.gguf')).blob();
  return openModelWorker('/worker-model.js', { assets: '/engine', data: data.slice(0, cut ?? data.size) });
}

let model: WorkerModel;

const device = {
  /** Opens the model, of the first bytes of its file alone where a number is given; returns its members. */
  async open(cut?: number) {
    model = await open(cut);
    const { id, locality, window } = model;
    return { id, locality, window };
  },
  /** The answer to a task, with the pieces in which it was told. */
  async propose(task: string) {
    const pieces: string[] = [];
    const signal = new AbortController().signal;
    const answer = await model.propose(requestOf(task), { signal, onText: (text) => void pieces.push(text) });
    return { ...answer, pieces };
  },
  /** Aborts at the first piece; returns the name of the error. */
  async abort(task: string) {
    const stop = new AbortController();
    const answer = model.propose(requestOf(task), { signal: stop.signal, onText: () => stop.abort() });
    return answer.then(
      () => 'answered',
      (error: Error) => error.name,
    );
  },
  /** Closes the model at the first piece; returns the code of the error. */
  async close(task: string) {
    const signal = new AbortController().signal;
    const answer = model.propose(requestOf(task), { signal, onText: () => model.close() });
    return answer.then(
      () => 'answered',
      (error: { readonly code?: string }) => error.code,
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
