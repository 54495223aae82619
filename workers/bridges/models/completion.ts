import { concatBytes, decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { isCount, isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import type { AnswerFacts } from '../../../core/ledger/kinds/step.ts';
import { valueOf } from '../../../core/protocol/call-text.ts';
import { type EndpointFault, endpointFailure } from './failure.ts';
import { type ChatCall, elementsOf, OpenCalls } from './open-calls.ts';
import { own } from './own.ts';
import { type Patience, readPieces } from './patience.ts';
import { makeSseReader } from './sse.ts';

/**
 * A model's text, unchanged: a string, or the bytes of a malformed text, which core refuses. `goal`: what it said beside
 * a call whose form has no place for it. `providerData`: what its server demands back with the call.
 */
export type Completion = {
  readonly text: string | Uint8Array;
  readonly goal?: string;
  readonly providerData?: string;
} & AnswerFacts;

/**
 * The answer of a server. `calls` are absent where the model called no tool. `beside`: members of the message that some
 * servers demand back beside its call, for example the reasoning.
 */
export type ChatAnswer = Completion & { readonly calls?: readonly ChatCall[]; readonly beside?: JsonObject };

/** How an answer is read. */
export interface AnswerReading extends Patience {
  /** Receives the text in pieces. */
  readonly onText?: ((text: string) => void) | undefined;
  /** `optional`: `[DONE]` ends an answer that gives no finish reason. */
  readonly finish?: 'required' | 'optional';
}

/** Sixteen times the longest proposal: bounds the cost of an answer before core sees it. */
export const BYTES_MAX: number = 16 << 20;

/** UTF-16 units of a server's text that an error holds. */
const SAID_MAX = 8192;

/**
 * Reads the answer of a chat completion, streamed or whole: its first bytes tell which, because proxies name another
 * content type. Parses the envelope only; the model's text stays text, for example two objects, repeated members or half
 * a surrogate pair. Half an answer is refused, because it could look whole. A `null` member is absent. Throws
 * `model_failed`, with the server's text in `said`.
 */
export async function readCompletion(response: Response, reading: AnswerReading = {}): Promise<ChatAnswer> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase().split(';')[0]?.trim() ?? '';
  if (response.body === null) throw endpointFailure('cut_off');
  const answer = new StreamedAnswer('delta', reading);
  let head: Uint8Array = new Uint8Array();
  let reader: BodyReader | undefined;
  const isOver = await readBytes(response.body, answer, reading, (bytes) => {
    if (reader !== undefined) return reader.push(bytes);
    head = concatBytes([head, head.byteLength === 0 ? withoutBlanks(bytes) : bytes]);
    if (head.byteLength === 0) return false;
    reader = readerOf(head, type, answer);
    return reader?.push(head) ?? false;
  });
  reader ??= readerOf(head, type, answer, 'whole');
  return reader?.end(isOver) ?? answer.whole();
}

/** The bytes behind blanks: a server may send them for minutes, to keep the connection. */
function withoutBlanks(bytes: Uint8Array): Uint8Array {
  const from = bytes.findIndex((byte) => byte > 0x20);
  return from < 0 ? new Uint8Array() : bytes.subarray(from);
}

/** Reads the bytes of one form of body. */
interface BodyReader {
  /** True: nothing that follows counts. */
  push(bytes: Uint8Array): boolean;
  /** `isOver`: the body has ended by itself. */
  end(isOver: boolean): ChatAnswer;
}

/** Bytes without blanks that tell the form of a body. */
const HEAD_BYTES = 6;

/** The reader for a body that begins so; undefined while its beginning may still be of several forms. */
function readerOf(head: Uint8Array, type: string, answer: StreamedAnswer, all?: 'whole'): BodyReader | undefined {
  const begin = new TextDecoder().decode(head.subarray(0, 1024)).trimStart();
  if (begin === '' && all === undefined && head.byteLength < 1024) return undefined;
  if (/^[{[]/.test(begin)) return wholeReader(answer);
  if (begin.length < HEAD_BYTES && all === undefined && type !== 'text/event-stream') return undefined;
  if (/^(?::|(?:data|event|id|retry)\s*:)/.test(begin)) return streamReader(answer);
  if (type === 'text/event-stream' && !begin.startsWith('<')) return streamReader(answer);
  return begin === '' ? undefined : strangeReader(type === 'application/json' ? 'not_json' : 'content_type');
}

function streamReader(answer: StreamedAnswer): BodyReader {
  let done = false;
  const events = makeSseReader(
    BYTES_MAX,
    ({ type, lines, data }) => {
      if (done || lines === 0) return;
      const text = utf8(data).trim();
      done = text === '[DONE]';
      if (!done) answer.event(type, text);
    },
    (line) => answer.hear(new TextDecoder().decode(line)),
  );
  return {
    push(bytes) {
      events.push(bytes);
      return done;
    },
    end(isOver) {
      if (!done && isOver) answer.hear(utf8(events.end()));
      return answer.whole(done);
    },
  };
}

function wholeReader(answer: StreamedAnswer): BodyReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  return {
    push(bytes) {
      pieces.push(inUtf8(() => decoder.decode(bytes, { stream: true })));
      return false;
    },
    end() {
      pieces.push(inUtf8(() => decoder.decode()));
      answer.message(pieces.join(''));
      return answer.whole();
    },
  };
}

/** A page or a text in the place of an answer: its beginning is told. */
function strangeReader(fault: EndpointFault): BodyReader {
  const decoder = new TextDecoder();
  let text = '';
  return {
    push(bytes) {
      text += decoder.decode(bytes, { stream: true });
      return text.length >= SAID_MAX;
    },
    end() {
      throw endpointFailure(fault, saidOf(text));
    },
  };
}

function saidOf(text: string): { readonly said?: string } {
  const said = text.slice(0, SAID_MAX).toWellFormed().trim();
  return said === '' ? {} : { said };
}

/**
 * Passes chunks on until `take` returns true, or the finish reason is some seconds old. Closes the connection in every
 * case. False: the body did not end by itself.
 */
async function readBytes(
  stream: ReadableStream<Uint8Array>,
  answer: StreamedAnswer,
  patience: Patience,
  take: (bytes: Uint8Array) => boolean,
): Promise<boolean> {
  let read = 0;
  return readPieces(stream.getReader(), answer, patience, (bytes) => {
    read += bytes.byteLength;
    if (read > BYTES_MAX) throw endpointFailure('too_long');
    return take(bytes);
  });
}

function inUtf8<T>(decode: () => T): T {
  try {
    return decode();
  } catch {
    throw endpointFailure('not_utf8');
  }
}

function utf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw endpointFailure('not_utf8');
  return text;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The text, or the bytes of a text with half a surrogate pair. */
export function wellFormed(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : encodeText(text);
}

/** Collects the choice that begins first: a single one was requested. */
export class StreamedAnswer {
  /** Grows with each piece of the answer, reasoning and finish reason included: heartbeats are no progress. */
  progress = 0;
  private finish: Completion['finish'];
  /** The answer has gone on behind its finish reason: some adapters give one with each piece. */
  private isPremature = false;
  /** Number of the choice that began first; the others are left out. */
  private chosen: JsonValue | undefined;
  /** Newest word that no finish reason is. */
  private unknown: string | undefined;
  /** Text of the server that is no part of an answer: where the answer does not finish, it may be the reason. */
  private heard = '';
  /** The text was in an event of its own, where a chunk would stand. */
  private isReported = false;
  private readonly holder: 'delta' | 'message';
  private readonly reading: AnswerReading;
  private isMessage = false;
  private readonly pieces: string[] = [];
  private readonly reasoning: string[] = [];
  /** The reasoning has come in the member that servers demand back. */
  private readonly reasoningContent: string[] = [];
  private readonly details: JsonValue[] = [];
  private readonly calls = new OpenCalls();
  private usage: Completion['usage'];

  constructor(holder: 'delta' | 'message', reading: AnswerReading = {}) {
    this.holder = holder;
    this.reading = reading;
  }

  /** An event of a stream. Heartbeats and events of unknown types are left out. */
  event(type: string, text: string): void {
    if (text === '') return;
    const value = parsed(text);
    if (/error/i.test(type)) throw endpointFailure('reported', saidOf(errorIn(value) ?? text));
    if (isChunk(value) || (type === 'message' && value !== undefined && typeof value === 'object' && value !== null))
      this.add(value, text);
    else if (type === 'message' && /^[{[]/.test(text)) throw endpointFailure('not_json', saidOf(text));
    else if (type === 'message' && value !== null) this.report(text);
  }

  /** An answer that came in one piece of JSON. */
  message(text: string): void {
    this.isMessage = true;
    const value = parsed(text);
    if (value === undefined) throw endpointFailure('not_json', saidOf(text));
    this.add(value, text);
  }

  hear(text: string): void {
    if (text.trim() !== '' && this.heard.length < SAID_MAX) this.heard += `${text.trim()}\n`;
  }

  private report(text: string): void {
    this.isReported = true;
    this.hear(text);
  }

  /** `source`: the text of the chunk, so that arguments that came as a value keep their spelling. */
  add(chunk: JsonValue, source?: string): void {
    const error = errorIn(chunk);
    if (error !== undefined) throw endpointFailure('reported', saidOf(error));
    if (!isObject(chunk)) throw endpointFailure('not_completion', saidOf(JSON.stringify(chunk)));
    const { choices = [], usage, x_groq: groq } = own(chunk);
    if (!Array.isArray(choices)) throw endpointFailure('not_completion', saidOf(JSON.stringify(chunk)));
    const rows = choices as readonly JsonValue[];
    const told = usageOf(usage) ?? usageOf(isObject(groq ?? null) ? own(groq as JsonObject)['usage'] : undefined);
    if (!rows.some((row) => row !== null)) {
      if (isError(chunk)) throw endpointFailure('reported', saidOf(JSON.stringify(chunk)));
      if (this.isMessage) throw endpointFailure('not_completion', saidOf(JSON.stringify(chunk)));
      const isKnown = told !== undefined || own(chunk)['choices'] !== undefined || isHeartbeat(chunk);
      if (!isKnown) this.report(JSON.stringify(chunk));
    }
    const sources =
      source !== undefined && VALUES.test(source) ? elementsOf(valueOf(source.trim(), 'choices') ?? '[]') : [];
    for (const [at, choice] of rows.entries()) if (choice !== null) this.choose(choice, sources[at]);
    this.usage = told ?? this.usage;
  }

  /** A second choice is a second answer, which nobody has asked for: a program that does gets the first. */
  private choose(choice: JsonValue, source: string | undefined): void {
    const refused = (): never => {
      throw endpointFailure('not_completion', saidOf(JSON.stringify(choice)));
    };
    if (!isObject(choice)) return refused();
    const { index = 0, finish_reason: reason, error, usage, ...holders } = own(choice);
    this.chosen ??= index;
    if (index !== this.chosen) return;
    if (isTold(error)) throw endpointFailure('reported', saidOf(JSON.stringify(error)));
    const isWhole = this.isMessage || this.holder === 'message' || (this.progress === 0 && !('delta' in holders));
    const name = isWhole && 'message' in holders ? 'message' : 'delta';
    const before = this.progress;
    const held = holders[name];
    const message = held !== undefined && isObject(held) ? own(held) : {};
    const { content, refusal, tool_calls: made, function_call: old } = message;
    const text = textOf(content ?? refusal ?? '') ?? refused();
    this.tell(text);
    this.reason(message);
    this.usage = usageOf(usage) ?? this.usage;
    const from = source && valueOf(source, name);
    if (made !== undefined) this.call(made, from && valueOf(from, 'tool_calls'));
    // the form before `tool_calls` has a single call
    if (old !== undefined)
      this.called({ index: 'function_call', function: old }, from && `{"function":${valueOf(from, 'function_call')}}`);
    // blanks behind the reason are no more of the answer
    if (this.progress > before && (text.trim() !== '' || text === '')) this.isPremature = this.finish !== undefined;
    this.end(reason);
  }

  private end(reason: JsonValue | undefined): void {
    const finish = finishOf(reason);
    if (finish === undefined) {
      if (typeof reason === 'string') this.unknown = reason;
      return;
    }
    this.progress++;
    this.finish = finish;
    this.isPremature = false;
  }

  private call(made: JsonValue, source: string | undefined): void {
    const list = Array.isArray(made) ? (made as readonly JsonValue[]) : [made];
    const texts = source?.startsWith('[') ? elementsOf(source) : [source];
    for (const [at, piece] of list.entries()) if (isObject(piece)) this.called(piece, texts[at]);
  }

  private called(piece: JsonObject, source: string | undefined): void {
    this.progress++;
    const text = this.calls.add(piece, source);
    if (text !== '') this.reading.onText?.(text);
  }

  private tell(text: string): void {
    if (text === '') return;
    this.progress++;
    this.pieces.push(text);
    this.reading.onText?.(text);
  }

  /** Keeps the reasoning, which is no part of the text. */
  private reason({
    reasoning_content: content,
    reasoning,
    thinking,
    reasoning_details: details,
    content: parts,
  }: Members): void {
    const text = [content, reasoning, thinking].find((each) => typeof each === 'string' && each !== '') as
      | string
      | undefined;
    const thought = text ?? thoughtIn(parts);
    if (typeof content === 'string') this.reasoningContent.push(content);
    if (Array.isArray(details)) this.details.push(...(details as readonly JsonValue[]));
    if (thought === '' && !Array.isArray(details)) return;
    this.progress++;
    this.reasoning.push(thought);
  }

  get finished(): boolean {
    return this.finish !== undefined && !this.isPremature;
  }

  /** The server's own words about an answer that did not finish, else what has arrived of it. */
  said(): { readonly said?: string } {
    const word = this.unknown === undefined ? '' : `finish_reason: ${JSON.stringify(this.unknown)}`;
    const calls = this.calls.whole.map(({ name, args }) => `${name} ${args}`);
    return saidOf(this.heard.trim() || word || [this.pieces.join(''), ...calls].join('\n'));
  }

  /**
   * The answer, if the model has finished it. Throws `model_failed` for half an answer, also before `[DONE]`, unless the
   * server is known to give no finish reason. A reason in the middle of an answer counts with `[DONE]` alone. An answer that came in one piece of JSON needs none.
   */
  whole(isDone = false): ChatAnswer {
    const needsNone = this.isMessage || (isDone && this.reading.finish === 'optional' && this.heard === '');
    const isEnded = this.finished || (isDone && this.finish !== undefined);
    if (isEnded || (needsNone && this.unknown === undefined)) return this.completion();
    throw endpointFailure(this.isReported ? 'reported' : 'cut_off', this.said());
  }

  /** Joins surrogate pairs that were cut between two chunks. */
  completion(): ChatAnswer {
    const calls = this.calls.whole;
    const text = this.pieces.join('');
    const thought = this.reasoning.join('');
    if (text === '' && calls.length === 0 && thought !== '' && this.finish !== 'length' && this.finish !== 'other')
      throw endpointFailure('only_reasoning', saidOf(thought));
    const beside = {
      ...(this.reasoningContent.length > 0 && { reasoning_content: this.reasoningContent.join('') }),
      ...(this.details.length > 0 && { reasoning_details: this.details }),
    };
    return {
      text: wellFormed(text),
      ...(calls.length > 0 && { calls }),
      ...(calls.length > 0 && Object.keys(beside).length > 0 && { beside }),
      ...(this.usage !== undefined && { usage: this.usage }),
      ...(this.finish !== undefined && { finish: this.finish }),
    };
  }
}

type Members = ReturnType<typeof own>;

/** Arguments that are no string. */
const VALUES = /"arguments"\s*:\s*[^"\s]/;

function isChunk(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isObject(value) && Array.isArray(own(value)['choices']);
}

/** True for a value that says something: some servers write `null`, `""`, `false` or `{}` where there is no error. */
function isTold(value: JsonValue | undefined): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value !== undefined && value !== null && value !== '' && value !== false && value !== 0 && !isEmpty;
}

/** The text of the error that an answer holds in the member for it, also in a list as Gemini sends it. */
function errorIn(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(errorIn).find((text) => text !== undefined);
  const error = value !== undefined && isObject(value) ? own(value)['error'] : undefined;
  return isTold(error) ? JSON.stringify(error) : undefined;
}

/** Members by which servers report an error without the member `error`. */
const ERROR_MEMBER = /error|exception|^detail$|^message$|^msg$/i;

function isError(chunk: JsonObject): boolean {
  const members = own(chunk);
  const kinds = [members['type'], members['object'], members['status'], members['event']];
  if (kinds.some((kind) => typeof kind === 'string' && /error|fail/i.test(kind))) return true;
  return Object.keys(members).some((name) => ERROR_MEMBER.test(name) && isTold(members[name]));
}

function isHeartbeat(chunk: JsonObject): boolean {
  const { type, object, usage } = own(chunk);
  const isNamed = [type, object].some((kind) => typeof kind === 'string' && /ping|beat|alive|completion/i.test(kind));
  return isNamed || usage !== undefined || Object.keys(own(chunk)).length === 0;
}

/** The text of a content: a string, or the texts of its parts. Undefined for any other value. */
function textOf(content: JsonValue): string | undefined {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return (content as readonly JsonValue[]).map(partText).join('');
  const { text } = isObject(content) ? own(content) : {};
  return typeof text === 'string' ? partText(content) : undefined;
}

function partText(part: JsonValue): string {
  if (typeof part === 'string') return part;
  const { type, text, refusal } = isObject(part) ? own(part) : {};
  const said = text ?? refusal;
  return typeof said === 'string' && !isThought(type) ? said : '';
}

function isThought(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && /think|reason/i.test(type);
}

/** The reasoning among the parts of a content. */
function thoughtIn(content: JsonValue | undefined): string {
  if (!Array.isArray(content)) return '';
  const thoughts = (content as readonly JsonValue[]).map((part) => {
    const { type, thinking, text } = isObject(part) ? own(part) : {};
    return isThought(type) ? (textOf(thinking ?? text ?? '') ?? '') : '';
  });
  return thoughts.join('');
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
  // an engine's own form
  const { type } = typeof reason === 'object' && reason !== null ? (reason as { readonly type?: unknown }) : {};
  const word = type ?? reason;
  return typeof word === 'string' ? FINISHES.get(word.toLowerCase().replaceAll('-', '_')) : undefined;
}

/** Tokens by the names of either of OpenAI's forms; undefined where a count is absent or no count. */
function usageOf(usage: JsonValue | undefined): Completion['usage'] {
  if (usage === undefined || !isObject(usage)) return undefined;
  const {
    prompt_tokens,
    completion_tokens,
    input_tokens: input = prompt_tokens,
    output_tokens: output = completion_tokens,
  } = own(usage);
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}
