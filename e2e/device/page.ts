/** The page of a program with a model. The tests call its members. */
import type { SallyportError } from '../../core/index.ts';
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

async function open({ bytes, text, contextTokens = 1024 }: OpenedFile): Promise<WorkerModel> {
  const whole = text === undefined ? await (await fetch('/tiny.gguf')).blob() : new Blob([text]);
  const given: GivenModel = { file: whole.slice(0, bytes ?? whole.size), contextTokens };
  return openModelWorker('/worker-model.js', { assets: '/engine', data: given });
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
