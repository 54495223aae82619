/** Language models of the AI SDK's specifications, made by hand: each gives its answers in order. */

export type Version = 'v2' | 'v3' | 'v4';
export const VERSIONS: readonly Version[] = ['v2', 'v3', 'v4'];

export interface SaidCall {
  readonly name: string;
  readonly input: string;
  readonly id?: string;
}

export interface Said {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly SaidCall[];
  /** Absent: `stop`, or `tool-calls` with calls. */
  readonly finish?: string;
  /** Parts of the stream before its finish. */
  readonly parts?: readonly Part[];
}

type Part = { readonly type: string; readonly [member: string]: unknown };

/** An answer, an error that the request throws, or a stream of the test's own. */
export type Item = Said | Error | ReadableStream<Part>;

/** The members of a request that the tests read. */
export interface SeenRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly inputSchema: object }[];
  readonly [name: string]: unknown;
}

export interface HandMadeModel {
  readonly specificationVersion: Version;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: object;
  readonly seen: SeenRequest[];
  doGenerate(options: SeenRequest): Promise<never>;
  doStream(options: SeenRequest): Promise<{ stream: ReadableStream<Part> }>;
}

export function aiModel(specificationVersion: Version, items: readonly Item[]): HandMadeModel {
  const left = [...items];
  const seen: SeenRequest[] = [];
  const next = (options: SeenRequest): Exclude<Item, Error> => {
    seen.push(options);
    const item = left.shift();
    if (item === undefined) throw new Error('the model has no more answers');
    if (item instanceof Error) throw item;
    return item;
  };
  const end = ({ calls = [], finish = calls.length > 0 ? 'tool-calls' : 'stop' }: Said) => ({
    finishReason: specificationVersion === 'v2' ? finish : { unified: finish, raw: finish },
    usage: usageOf(specificationVersion),
  });
  return {
    specificationVersion,
    provider: 'hand.made',
    modelId: 'm',
    supportedUrls: {},
    seen,
    doGenerate: async (options) => {
      const said = next(options) as Said;
      const { text, reasoning, calls = [] } = said;
      const content = [
        ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ name, input, id }, at) => ({
          type: 'tool-call',
          toolCallId: id ?? `c${at}`,
          toolName: name,
          input,
        })),
      ];
      return { content, warnings: [], ...end(said) } as never;
    },
    doStream: async (options) => {
      const said = next(options);
      if (said instanceof ReadableStream) return { stream: said };
      return { stream: streamOf([...partsOf(said), { type: 'finish', ...end(said) }]) };
    },
  };
}

function usageOf(version: Version): object {
  if (version === 'v2') return { inputTokens: 11, outputTokens: 7, totalTokens: 18 };
  const inputTokens = { total: 11, noCache: 11, cacheRead: undefined, cacheWrite: undefined };
  return { inputTokens, outputTokens: { total: 7, text: 7, reasoning: undefined } };
}

export function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start: (out) => {
      for (const part of parts) out.enqueue(part);
      out.close();
    },
  });
}

function partsOf({ text, reasoning, calls = [], parts = [] }: Said): readonly Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    ...(reasoning === undefined ? [] : block('reasoning', 'r', reasoning)),
    ...(text === undefined ? [] : block('text', 't', text)),
    ...calls.flatMap(callParts),
    ...parts,
  ];
}

function block(kind: 'text' | 'reasoning', id: string, text: string): readonly Part[] {
  const deltas = pieces(text).map((delta) => ({ type: `${kind}-delta`, id, delta }));
  return [{ type: `${kind}-start`, id }, ...deltas, { type: `${kind}-end`, id }];
}

export function callParts({ name, input, id }: SaidCall, at: number): readonly Part[] {
  const toolCallId = id ?? `c${at}`;
  return [
    { type: 'tool-input-start', id: toolCallId, toolName: name },
    ...pieces(input).map((delta) => ({ type: 'tool-input-delta', id: toolCallId, delta })),
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName: name, input },
  ];
}

const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,7}/g) ?? [];
