import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { isCount, isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import type { AnswerFacts } from '../../../core/ledger/kinds/step.ts';
import { type EndpointFault, endpointFailure } from './failure.ts';
import { makeSseReader } from './sse.ts';

/**
 * A model's text, unchanged: a string, or the bytes of a malformed text, which core refuses. `goal`: what it said beside
 * a call whose form has no place for it.
 */
export type Completion = { readonly text: string | Uint8Array; readonly goal?: string } & AnswerFacts;

/** The answer of a server. `calls` are absent where the model called no tool. */
export type ChatAnswer = Completion & { readonly calls?: readonly ChatCall[] };

/** A call of a tool; `args` is the text of the arguments, unchanged. */
export interface ChatCall {
  readonly name: string;
  readonly args: string;
}

/** Sixteen times the longest proposal: bounds the cost of an answer before core sees it. */
export const BYTES_MAX: number = 16 << 20;

/**
 * Reads the answer of a chat completion, streamed or whole. Parses the envelope only; the model's text stays text, for
 * example two objects, repeated members or half a surrogate pair. Half an answer is refused, because it could look
 * whole. Throws `model_failed`.
 */
export async function readCompletion(response: Response, onText?: (text: string) => void): Promise<ChatAnswer> {
  const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';');
  const stream = response.body;
  if (stream === null) throw endpointFailure('cut_off');
  if (type.trim() === 'text/event-stream') return readStream(stream, onText);
  if (type.trim() === 'application/json') return readWhole(stream, onText);
  await stream.cancel();
  throw endpointFailure('content_type');
}

async function readStream(stream: ReadableStream<Uint8Array>, onText?: (text: string) => void): Promise<ChatAnswer> {
  const answer = new StreamedAnswer('delta', onText);
  let done = false;
  const events = makeSseReader(BYTES_MAX, ({ lines, data: bytes }) => {
    if (done || lines === 0) return;
    const data = utf8(bytes);
    done = data === '[DONE]';
    if (!done) answer.add(parsed(data));
  });
  await readBytes(stream, (bytes) => {
    events.push(bytes);
    return done;
  });
  if (!done) utf8(events.end());
  return answer.whole();
}

async function readWhole(stream: ReadableStream<Uint8Array>, onText?: (text: string) => void): Promise<ChatAnswer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  await readBytes(stream, (bytes) => {
    pieces.push(inUtf8(() => decoder.decode(bytes, { stream: true })));
    return false;
  });
  pieces.push(inUtf8(() => decoder.decode()));
  const answer = new StreamedAnswer('message', onText);
  answer.add(parsed(pieces.join('')));
  return answer.whole();
}

/** Passes chunks on until `take` returns true. Closes the connection in every case. */
async function readBytes(stream: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => boolean): Promise<void> {
  const reader = stream.getReader();
  let read = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(cutOff);
      if (done) return;
      read += value.byteLength;
      if (read > BYTES_MAX) throw endpointFailure('too_long');
      if (take(value)) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** An abort of the caller passes unchanged; any other error is a fault of the connection. */
function cutOff(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : endpointFailure('cut_off');
}

function inUtf8<T>(decode: () => T): T {
  return guarded('not_utf8', decode);
}

function utf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw endpointFailure('not_utf8');
  return text;
}

function parsed(text: string): JsonObject {
  const value = guarded('not_json', () => JSON.parse(text) as JsonValue);
  if (!isObject(value)) throw endpointFailure('not_completion');
  return value;
}

function guarded<T>(fault: EndpointFault, act: () => T): T {
  try {
    return act();
  } catch {
    throw endpointFailure(fault);
  }
}

interface OpenCall {
  name: string;
  readonly args: string[];
}

/** The calls of an answer, found by index and id in constant time: a server may send a million. */
class OpenCalls {
  readonly all: OpenCall[] = [];
  /** The newest call of each index under its id, and under no id the newest of any id. */
  private readonly newest = new Map<JsonValue | undefined, Map<string | undefined, OpenCall>>();

  /** Absent `id`: the newest call of this index. */
  find(index: JsonValue | undefined, id: string | undefined): OpenCall | undefined {
    return this.newest.get(index)?.get(id);
  }

  add(index: JsonValue | undefined, id: string | undefined, call: OpenCall): void {
    const known = this.newest.get(index) ?? new Map<string | undefined, OpenCall>();
    this.newest.set(index, known.set(id, call).set(undefined, call));
    this.all.push(call);
  }
}

/** The text, or the bytes of a text with half a surrogate pair. */
export function wellFormed(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : encodeText(text);
}

/** Collects the single choice that was requested. */
export class StreamedAnswer {
  private finish: Completion['finish'];
  /** Newest word that no finish reason is. */
  private unknown: string | undefined;
  private readonly holder: 'delta' | 'message';
  private readonly onText: ((text: string) => void) | undefined;
  private readonly pieces: string[] = [];
  private readonly calls = new OpenCalls();
  private usage: Completion['usage'];

  constructor(holder: 'delta' | 'message', onText?: (text: string) => void) {
    this.holder = holder;
    this.onText = onText;
  }

  add(chunk: JsonObject): void {
    const { choices, error, usage } = own(chunk);
    if (error !== undefined && error !== null) throw endpointFailure('reported', { said: JSON.stringify(error) });
    if (!Array.isArray(choices)) throw endpointFailure('not_completion');
    for (const choice of choices as readonly JsonValue[]) this.choose(choice);
    this.usage = usageOf(usage) ?? this.usage;
  }

  /** A second choice is a second answer, and the model's choice between them is unknown. */
  private choose(choice: JsonValue): void {
    if (!isObject(choice)) throw endpointFailure('not_completion');
    const { index, finish_reason, [this.holder]: holder } = own(choice);
    if (index !== undefined && index !== 0) throw endpointFailure('not_completion');
    const { content, refusal, tool_calls: calls } = isObject(holder) ? own(holder) : {};
    const text = content ?? refusal ?? '';
    if (typeof text !== 'string') throw endpointFailure('not_completion');
    this.finish = finishOf(finish_reason) ?? this.finish;
    if (typeof finish_reason === 'string' && finishOf(finish_reason) === undefined) this.unknown = finish_reason;
    if (text !== '') this.pieces.push(text);
    this.tell(text);
    for (const call of Array.isArray(calls) ? (calls as readonly JsonValue[]) : []) this.call(call);
  }

  /** A piece of a call. A piece with another id, or with a name and no index, begins a call of its own. */
  private call(piece: JsonValue): void {
    const { index, id, function: made } = isObject(piece) ? own(piece) : {};
    const { name = '', arguments: args = '' } = isObject(made) ? own(made) : {};
    if (typeof name !== 'string' || typeof args !== 'string') throw endpointFailure('not_completion');
    const key = typeof id === 'string' && id !== '' ? id : undefined;
    const call = index === undefined && name !== '' ? undefined : this.calls.find(index, key);
    if (call === undefined) this.calls.add(index, key, { name, args: [args] });
    else {
      call.name ||= name;
      call.args.push(args);
    }
    this.tell(call === undefined ? `${name} ${args}` : args);
  }

  private tell(text: string): void {
    if (text !== '') this.onText?.(text);
  }

  get finished(): boolean {
    return this.finish !== undefined;
  }

  /**
   * The answer, if the model has finished it. Throws `model_failed` for half an answer, also before `[DONE]`. An answer
   * that came in one piece of JSON needs no finish reason.
   */
  whole(): ChatAnswer {
    const { unknown } = this;
    if (this.finished || (this.holder === 'message' && unknown === undefined)) return this.completion();
    throw endpointFailure(
      'cut_off',
      unknown === undefined ? {} : { said: `finish_reason: ${JSON.stringify(unknown)}` },
    );
  }

  /** Joins surrogate pairs that were cut between two chunks. */
  completion(): ChatAnswer {
    const calls = this.calls.all.map(({ name, args }) => ({ name, args: args.join('') }));
    return {
      text: wellFormed(this.pieces.join('')),
      ...(calls.length > 0 && { calls }),
      ...(this.usage !== undefined && { usage: this.usage }),
      ...(this.finish !== undefined && { finish: this.finish }),
    };
  }
}

/** The own members of a stranger's object. */
function own(object: JsonObject): { readonly [name: string]: JsonValue | undefined } {
  return Object.assign(Object.create(null) as object, object);
}

type Finish = NonNullable<Completion['finish']>;

/** Words of servers and adapters for a finished answer. */
const FINISHES: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ...['stop', 'eos', 'eos_token', 'stop_sequence', 'end_turn'].map((word) => [word, 'stop'] as const),
  ...['length', 'model_length', 'max_tokens', 'max_output_tokens'].map((word) => [word, 'length'] as const),
  ...['tool_calls', 'tool_use', 'function_call', 'content_filter'].map((word) => [word, 'other'] as const),
]);

/**
 * Why the model has finished its answer. Undefined for any other value, such as an empty text: the answer is not
 * finished.
 */
export function finishOf(reason: unknown): Completion['finish'] {
  return typeof reason === 'string' ? FINISHES.get(reason.toLowerCase().replaceAll('-', '_')) : undefined;
}

function usageOf(usage: JsonValue | undefined): Completion['usage'] {
  if (usage === undefined || !isObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output } = own(usage);
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}
