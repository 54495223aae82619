/**
 * Calls between realms. A realm gives another realm a table of methods behind a port, and nothing else: the other realm
 * may have been taken over. Comlink carries calls and answers. This file is the only one that imports it, and stands
 * between it and each port, because Comlink alone walks any path into an object, assigns to what it finds, and calls a
 * constructor.
 */
import { expose, transfer as transferred, wrap } from 'comlink';
import type { Details } from '../../core/errors/details.ts';
import { SallyportError } from '../../core/sallyport-error.ts';

/** An end of a channel between realms: a port, or a worker. Declared here: a package that uses ours has no Comlink. */
interface Endpoint {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: object): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: object): void;
  start?(): void;
}

/** Has these objects transferred with `value`, which is a whole argument of a call, or its answer. */
export function transfer<T>(value: T, objects: Transferable[]): T {
  return transferred(value, objects);
}

/** Methods of another realm as this realm calls them. A call that the other realm refuses rejects. */
export type Remote<T> = {
  readonly [M in keyof T]: T[M] extends (...given: infer G) => infer R ? (...given: G) => Promise<Awaited<R>> : never;
};

/** The name of each method of `T`: a forgotten one does not compile. */
export type MethodNames<T> = { readonly [M in keyof T]: true };

/**
 * Serves the own functions of `methods` at this end of a port, until the other end releases it. It takes two messages: a
 * call of one method by its name, with data and ports as arguments, and the release. Any other message is refused and
 * counted, and an asker that waits gets a `TypeError`.
 */
export function serveMethods<T extends Flat<T>>(end: Endpoint, methods: T): void {
  const table = Object.assign(Object.create(null) as Methods, methods);
  const read = (data: unknown): Message | undefined => {
    const message = callOf(data, table);
    if (message === undefined) refuse(end, data);
    return message;
  };
  expose(table, between(end, read));
}

/** Serves `methods` at a new port. The port is transferred as a whole argument of a call, or as its answer. */
export function portOf<T extends Flat<T>>(methods: T): MessagePort {
  const { port1, port2 } = new MessageChannel();
  serveMethods(port1, methods);
  return transfer(port2, [port2]);
}

/** The methods that the other realm serves at its end. An answer is data or an error. */
export function methodsAt<T>(end: Endpoint, names: MethodNames<T>): Remote<T> {
  const remote = wrap<Methods>(between(end, answerOf)) as unknown as { [name: string]: Method };
  return Object.fromEntries(Object.keys(names).map((name) => [name, kept(remote[name] as Method)])) as Remote<T>;
}

type Method = (...given: unknown[]) => Promise<unknown>;

/** Methods whose answer is awaited. Comlink releases a port whose methods nobody holds, and its answers with it. */
const awaited = new Set<object>();

function kept(method: Method): Method {
  return async (...given) => {
    const call = { method };
    awaited.add(call);
    try {
      return await method(...given);
    } finally {
      awaited.delete(call);
    }
  };
}

/** A port keeps only the message of an error that is thrown across it; a `SallyportError` crosses as a value. */
export type Crossed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CrossedError };

interface CrossedError {
  readonly code: SallyportError['code'];
  readonly message: string;
  readonly details: Details;
  readonly line?: number;
  readonly column?: number;
}

/** The result of `work`, with its `SallyportError` as data. */
export async function crossed<T>(work: () => Promise<T>): Promise<Crossed<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    const { code, message, details, line, column } = error;
    const at = line === undefined || column === undefined ? {} : { line, column };
    return { ok: false, error: { code, message, details, ...at } };
  }
}

/** The value of a result. Throws its `SallyportError`. */
export function taken<T>(given: Crossed<T>): T {
  if (given.ok) return given.value;
  const { code, message, details, ...at } = given.error;
  throw new SallyportError(code, message, details, at);
}

/** Number of messages that this realm has refused: another realm sends such a message only when it was taken over. */
export function refusedMessages(): number {
  return refused;
}

let refused = 0;

/** An object of functions only: an object within it would need a longer path. */
type Flat<T> = { readonly [M in keyof T]: (...given: never[]) => unknown };
type Methods = { readonly [name: string]: (...given: unknown[]) => unknown };
type Message = { readonly [member: string]: unknown };

/** An end of a port for Comlink, which hears only messages that `read` has made. */
function between(end: Endpoint, read: (data: unknown) => Message | undefined): Endpoint {
  const heard = new Map<unknown, (event: Event) => void>();
  return {
    addEventListener(type, listener) {
      const hear = (event: Event): void => {
        const data = read((event as MessageEvent<unknown>).data);
        if (data !== undefined) (listener as EventListener)({ data } as unknown as Event);
      };
      heard.set(listener, hear);
      end.addEventListener(type, hear);
    },
    // Comlink removes its listener after a release.
    removeEventListener(type, listener) {
      end.removeEventListener(type, heard.get(listener) as EventListener);
      if (end instanceof MessagePort) end.close();
    },
    postMessage: (message, transferred) => end.postMessage(message, transferred),
    start: () => end.start?.(),
  };
}

/** No method has as many. A list of holes is a small message of any length, and each place of it would be walked over. */
const ARGUMENTS_MAX = 16;

/** The call of a method of the table, or the release, without any other member; undefined for any other message. */
function callOf(data: unknown, table: Methods): Message | undefined {
  const { id, type, path, argumentList } = members(data);
  if (typeof id !== 'string') return undefined;
  if (type === 'RELEASE') return { id, type };
  if (type !== 'APPLY' || !Array.isArray(path) || !Array.isArray(argumentList)) return undefined;
  const [name] = path as unknown[];
  if (path.length !== 1 || typeof name !== 'string' || !Object.hasOwn(table, name)) return undefined;
  if (argumentList.length > ARGUMENTS_MAX) return undefined;
  // `map` would leave the holes of the list out of the test
  const values = Array.from(argumentList as unknown[], members);
  if (!values.every((value) => value.type === 'RAW')) return undefined;
  return { id, type, path: [name], argumentList: values.map(({ value }) => ({ type: 'RAW', value })) };
}

/** The answer to a call; undefined for any other message, which no call waits for. */
function answerOf(data: unknown): Message | undefined {
  const { id, type, name, value } = members(data);
  if (typeof id !== 'string') return undefined;
  if (type === 'RAW') return { id, type, value };
  if (type === 'HANDLER' && name === 'throw') return { id, type, name, value: thrownOf(value) };
  count();
  return undefined;
}

/** A thrown error with its three texts, or another thrown value as it is. */
function thrownOf(given: unknown): Message {
  const { isError, value } = members(given);
  if (isError !== true) return { isError: false, value };
  const { name, message, stack } = members(value);
  return { isError, value: { name: text(name), message: text(message), stack: text(stack) } };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function members(data: unknown): Message {
  return Object(data) as Message;
}

function count(): void {
  refused += 1;
  // oxlint-disable-next-line no-console -- the console is where a developer looks first
  if (refused === 1) console.warn('Another realm sent a message that Sallyport never sends. It was refused.');
}

function refuse(end: Endpoint, data: unknown): void {
  count();
  const { id } = members(data);
  if (typeof id !== 'string') return;
  const value = { name: 'TypeError', message: 'No such method is served at this port.', stack: '' };
  end.postMessage({ id, type: 'HANDLER', name: 'throw', value: { isError: true, value } });
}
