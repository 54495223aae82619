import { decode } from '../../../core/json/decode.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonValue } from '../../../core/json/value.ts';
import { HELD } from '../../../core/run/observe.ts';
import type { Called } from '../../api.ts';
import type { AiPart, AiPartMembers } from './model.ts';
import { Newest } from './newest.ts';
import type { AiMiddleware, AiRequest } from './sdk.ts';

/** A call as the model wrote it. */
interface WrittenCall {
  readonly toolName: string;
  /** Text of the arguments; absent without the middleware. */
  readonly text?: string;
  /** The call, where the gate has decided it before the SDK executes it. */
  readonly decided?: Promise<Called>;
}

/** Takes a call of a tool that the request has not offered, before the SDK sees it. */
type UnknownCall = (toolCallId: string, call: WrittenCall) => void;

/**
 * Keeps the calls of a model as it wrote them, by `toolCallId`. The SDK gets arguments that it can always parse, so that
 * its repair of tool calls is not asked about a call of a session.
 */
export class WrittenCalls {
  readonly #calls = new Newest<WrittenCall>();
  readonly #names: ReadonlySet<string>;
  readonly #unknown: UnknownCall;
  readonly #isHolding: () => boolean;

  constructor(names: ReadonlySet<string>, unknown: UnknownCall, isHolding: () => boolean) {
    this.#names = names;
    this.#unknown = unknown;
    this.#isHolding = isHolding;
  }

  get(toolCallId: string): WrittenCall | undefined {
    return this.#calls.get(toolCallId);
  }

  set(toolCallId: string, call: WrittenCall): void {
    this.#calls.set(toolCallId, call);
  }

  readonly middleware: AiMiddleware = {
    specificationVersion: 'v4' as never,
    transformParams: async ({ params }) => (this.#isHolding() ? toldOfHandles(params) : params),
    wrapGenerate: async ({ doGenerate, params }) => {
      const answer = await doGenerate();
      const take = this.#reader(params);
      return { ...answer, content: answer.content.map(take) };
    },
    wrapStream: async ({ doStream, params }) => {
      const answer = await doStream();
      const take = this.#reader(params);
      const parts = new TransformStream<AiPart, AiPart>({ transform: (part, out) => out.enqueue(take(part)) });
      return { ...answer, stream: answer.stream.pipeThrough(parts) };
    },
  };

  /**
   * Reads the parts of a single answer. Calls with the same id cannot be told apart: their texts are joined by a
   * character that JSON does not have, so that the gate refuses each of them.
   */
  #reader({ tools = [] }: AiRequest): (part: AiPart) => AiPart {
    const inputs = new RawInputs();
    const said = new Map<string, string>();
    const offered = new Set(tools.map(({ name }) => name));
    return (part: AiPartMembers) => {
      inputs.add(part);
      const { type, toolCallId = '', toolName = '', providerExecuted } = part;
      if (type !== 'tool-call' || providerExecuted === true) return part;
      const isOurs = this.#names.has(toolName);
      // A tool of the program's own.
      if (!isOurs && offered.has(toolName)) return part;
      const before = said.get(toolCallId);
      const text = `${before === undefined ? '' : `${before}\0`}${inputs.end(part)}`;
      said.set(toolCallId, text);
      const call = { toolName, text };
      this.#calls.set(toolCallId, call);
      if (!isOurs) this.#unknown(toolCallId, call);
      return { ...part, input: isSafe(text) ? text : JSON.stringify({ unparsed: text.toWellFormed() }) };
    };
  }
}

/** The request with the words that a run's own opening has for handles. Some servers take a single system message. */
function toldOfHandles<R extends AiRequest>(request: R): R {
  const [first, ...rest] = request.prompt ?? [];
  const [before, after] = first?.role === 'system' ? [first, rest] : [undefined, request.prompt ?? []];
  const words = before === undefined ? HELD : `${String(before.content)}\n\n${HELD}`;
  return { ...request, prompt: [{ ...before, role: 'system', content: words }, ...after] };
}

/** True for a text that the SDK parses without loss. The SDK refuses the names of a prototype. */
function isSafe(text: string): boolean {
  const decoded = decode(encodeText(text));
  return decoded.ok && !hasPrototype(JSON.parse(text) as JsonValue);
}

function hasPrototype(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value as { [name: string]: JsonValue });
  return entries.some(([name, each]) => name === '__proto__' || name === 'constructor' || hasPrototype(each));
}

/** The arguments of a call that a stream has not ended. */
interface OpenInput {
  readonly name: string;
  readonly text: string;
}

/**
 * The raw text of arguments, joined from the pieces of a stream. A provider may also tell the arguments at the end of a
 * call; some of them parse and write that text anew, so the pieces come first.
 */
export class RawInputs {
  readonly #open = new Map<string, { readonly name: string; readonly pieces: string[] }>();

  /** Takes a part of a stream. */
  add({ type, id = '', toolName = '', delta = '', inputEncoding, providerExecuted }: AiPartMembers): void {
    // Pieces in another encoding are no JSON; the end of the call tells the JSON.
    if (type === 'tool-input-start' && providerExecuted !== true && inputEncoding !== 'text')
      this.#open.set(id, { name: toolName, pieces: [] });
    if (type === 'tool-input-delta') this.#open.get(id)?.pieces.push(delta);
  }

  /** The raw text of the arguments of a call that ends with this part. */
  end({ toolCallId = '', input = '' }: AiPartMembers): string {
    const pieces = this.#open.get(toolCallId)?.pieces.join('') ?? '';
    this.#open.delete(toolCallId);
    return pieces === '' ? input : pieces;
  }

  /** Calls that the stream has begun and not ended. */
  get open(): readonly OpenInput[] {
    return [...this.#open.values()].map(({ name, pieces }) => ({ name, text: pieces.join('') }));
  }
}
