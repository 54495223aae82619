import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel as NodeChannel, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { methodsAt, portOf, refusedMessages, serveMethods } from '../../../workers/lock/realm-port.ts';

/** A thread whose code was replaced: it sends the messages that it is told, and tells what comes back. */
const TAKEN_OVER = `
  const { parentPort, workerData: { port } } = require('node:worker_threads');
  port.on('message', (answer) => parentPort.postMessage(answer));
  parentPort.on('message', (message) => port.postMessage(message));
`;

const raw = (value: unknown) => ({ type: 'RAW', value });
const apply = (path: unknown, ...values: unknown[]) => ({ type: 'APPLY', path, argumentList: values.map(raw) });

const REFUSED: { readonly [what: string]: object } = {
  'reads a member': { type: 'GET', path: ['add'] },
  'reads the table': { type: 'GET', path: [] },
  'sets a member': { type: 'SET', path: ['add'], value: raw(1) },
  'sets a member of a prototype': { type: 'SET', path: ['add', '__proto__', 'taken'], value: raw(1) },
  'sets a member of the prototype of all objects': {
    type: 'SET',
    path: ['__proto__', '__proto__', 'taken'],
    value: raw(1),
  },
  'makes a function of text': {
    type: 'CONSTRUCT',
    path: ['add', 'constructor'],
    argumentList: [raw('globalThis.taken = 1')],
  },
  'constructs a method': { type: 'CONSTRUCT', path: ['add'], argumentList: [] },
  'asks for another end': { type: 'ENDPOINT', path: [] },
  'calls the table': apply([]),
  'calls by a longer path': apply(['add', 'call'], null, 1, 2),
  'calls a constructor by a longer path': apply(['add', 'constructor'], 'globalThis.taken = 1'),
  'calls an inherited name': apply(['constructor'], 'globalThis.taken = 1'),
  'calls a name of the prototype of all objects': apply(['__defineGetter__'], 'taken', 1),
  'calls a name that no method has': apply(['subtract'], 1, 2),
  'calls by a path that is text': apply('add', 1, 2),
  'calls by a path that only looks like a list': apply({ 0: 'add', length: 1 }, 1, 2),
  'calls by a name that is no text': apply([['add']], 1, 2),
  'passes no list': { type: 'APPLY', path: ['add'], argumentList: { 0: raw(1), length: 1 } },
  'passes an argument without a form': { type: 'APPLY', path: ['add'], argumentList: [1, null] },
  'passes an argument that throws': {
    type: 'APPLY',
    path: ['add'],
    argumentList: [{ type: 'HANDLER', name: 'throw', value: { isError: true, value: { message: 'mine' } } }],
  },
  'passes an argument of an unknown handler': {
    type: 'APPLY',
    path: ['add'],
    argumentList: [{ type: 'HANDLER', name: 'constructor', value: 1 }],
  },
  'passes more arguments than any method has': apply(['add'], ...Array<number>(17).fill(1)),
  'passes a list with a hole': { type: 'APPLY', path: ['add'], argumentList: Object.assign([], { 1: raw(1) }) },
  'passes a list of nothing but holes': { type: 'APPLY', path: ['add'], argumentList: Array(2 ** 32 - 1) },
  'sends a message of another kind': { type: 'TRANSFER' },
};

describe('a port that a taken-over thread calls', () => {
  let thread: Worker;
  let asked = 0;
  const calls: unknown[][] = [];
  beforeEach(() => {
    const { port1, port2 } = new NodeChannel();
    calls.length = 0;
    serveMethods(port1 as unknown as MessagePort, {
      add(...given: number[]) {
        calls.push(given);
        return (given[0] ?? 0) + (given[1] ?? 0);
      },
      fail() {
        throw new RangeError('beyond');
      },
    });
    thread = new Worker(TAKEN_OVER, { eval: true, workerData: { port: port2 }, transferList: [port2] });
  });
  afterEach(() => thread.terminate());

  const ask = (message: object): Promise<object> => {
    const id = `ask-${++asked}`;
    const answer = new Promise<object>((resolve) => {
      const hear = (given: { id: string }): void => {
        if (given.id !== id) return;
        thread.off('message', hear);
        resolve(given);
      };
      thread.on('message', hear);
    });
    thread.postMessage({ id, ...message });
    return answer;
  };

  it('answers a call of a method with its result, or with its error', async () => {
    expect(await ask(apply(['add'], 1, 2))).toMatchObject(raw(3));
    expect(await ask(apply(['fail']))).toMatchObject({
      name: 'throw',
      value: { isError: true, value: { name: 'RangeError', message: 'beyond' } },
    });
  });

  it('refuses and counts every other message, and goes on', async () => {
    const before = [Object.prototype, Function.prototype, Array.prototype].map((each) => Reflect.ownKeys(each).length);
    for (const [what, message] of Object.entries(REFUSED)) {
      const count = refusedMessages();
      expect(await ask(message), what).toMatchObject({ name: 'throw', value: { value: { name: 'TypeError' } } });
      expect(refusedMessages(), what).toBe(count + 1);
    }
    expect(calls).toEqual([]);
    expect(Reflect.get(globalThis, 'taken')).toBeUndefined();
    expect([Object.prototype, Function.prototype, Array.prototype].map((each) => Reflect.ownKeys(each).length)).toEqual(
      before,
    );
    expect(await ask(apply(['add'], 1, 2))).toMatchObject(raw(3));
  });

  it('refuses a message that names no asker', async () => {
    const count = refusedMessages();
    for (const message of [null, 'add', 1, { ...apply(['add']), id: { toString: 1 } }]) thread.postMessage(message);
    expect(await ask(apply(['add'], 1, 2))).toMatchObject(raw(3));
    expect([refusedMessages() - count, calls]).toEqual([4, [[1, 2]]]);
  });

  it('closes after its release', async () => {
    expect(await ask({ type: 'RELEASE', path: [] })).toMatchObject(raw(undefined));
    thread.postMessage({ id: 'late', ...apply(['add'], 1, 2) });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toEqual([]);
  });
});

describe('methods of another realm', () => {
  interface Sums {
    add(a: number, b: number): number;
    fail(reason: unknown): void;
    each(numbers: readonly number[], port: MessagePort): Promise<number>;
  }
  const NAMES = { add: true, fail: true, each: true } as const;
  const served = (): Sums => ({
    add: (a, b) => a + b,
    fail: (reason) => {
      throw reason;
    },
    each: async (numbers, port) => {
      const { told } = methodsAt<{ told(each: number): number }>(port, { told: true });
      const answers = await Promise.all(numbers.map((each) => told(each)));
      port.close();
      return answers.reduce((sum, each) => sum + each, 0);
    },
  });

  it('answer with results and errors, and call back', async () => {
    const port = portOf(served());
    const sums = methodsAt<Sums>(port, NAMES);
    expect(await sums.add(1, 2)).toBe(3);
    await expect(sums.fail(new RangeError('beyond'))).rejects.toMatchObject({ name: 'RangeError', message: 'beyond' });
    await expect(sums.fail({ code: 1 })).rejects.toEqual({ code: 1 });
    expect(await sums.each([1, 2, 3], portOf({ told: (each: number) => each * 2 }))).toBe(12);
    port.close();
  });

  it('take an answer that is data or an error, and nothing else', async () => {
    const { port1, port2 } = new MessageChannel();
    const { add } = methodsAt<Sums>(port1, NAMES);
    const value = { isError: true, value: { ['__proto__']: { name: 'x' }, message: { toString: 1 } } };
    port2.onmessage = ({ data: { id } }: MessageEvent<{ id: string }>) => {
      port2.postMessage({ id, type: 'HANDLER', name: 'proxy', value: 1 });
      port2.postMessage({ id, type: 'HANDLER', name: 'throw', value });
    };
    const count = refusedMessages();
    const thrown: unknown = await add(1, 2).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ message: '' });
    expect(refusedMessages()).toBe(count + 1);
    port1.close();
  });
});

it('a call is answered whose caller has kept nothing but the promise', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let answer: (value: number) => void = () => undefined;
  const served = portOf({ ask: () => new Promise<number>((resolve) => void (answer = resolve)) });
  const asked = methodsAt<{ ask(): Promise<number> }>(served, { ask: true }).ask();
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  answer(1);
  expect(await asked).toBe(1);
});
