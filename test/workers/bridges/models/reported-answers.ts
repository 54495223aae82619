import type { ToolContext } from '../../../../core/capability/author.ts';
import type { JsonValue } from '../../../../core/json/value.ts';
import type { RunLimits } from '../../../../core/limits.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { fromOpenAI, type OpenAIOptions } from '../../../../workers/bridges/models/openai.ts';
import { defineTool } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

type Json = { readonly [name: string]: unknown };

/** An answer of a server, as a report describes it. The last answer is repeated. */
export interface ReportedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Data of an event each; `pieces` are raw. */
  readonly chunks?: readonly unknown[];
  readonly pieces?: readonly (string | { readonly hex: string })[];
  readonly end?: 'open' | 'destroy';
  /** A later request without this text is refused. */
  readonly requireEcho?: string;
  readonly refuse?: string;
  /** A request with this member is refused. */
  readonly refuseMember?: string;
}

/** What users of other programs reported: the answers of a server, and what comes of a run over them. */
export interface ReportedInput {
  readonly about: string;
  readonly model?: Partial<OpenAIOptions>;
  readonly dialect?: 'xct' | 'femtoclaw';
  readonly task?: string;
  readonly limits?: Partial<RunLimits>;
  readonly responses: readonly ReportedResponse[];
  readonly expected: Json;
}

const closed = (properties: Json) =>
  ({ type: 'object', required: Object.keys(properties), additionalProperties: false, properties }) as const;

/** Arguments of each executed call, by the id of its step. */
const executed = new Map<string, readonly [name: string, args: unknown]>();

const noted =
  (name: string, result: JsonValue) =>
  (args: unknown, { step_id }: ToolContext): JsonValue => {
    executed.set(step_id, [name, structuredClone(args)]);
    return result;
  };

const number = { type: 'number' };
const version = '1.0.0';
const TOOLS = [
  defineTool({
    ...{ name: 'math.add', version, description: 'Adds.', effect: 'pure', args: closed({ a: number, b: number }) },
    run: noted('math.add', 5),
  }),
  defineTool({
    ...{ name: 'time.now', version, description: 'Tells the time.', effect: 'read', labels: [], args: closed({}) },
    run: noted('time.now', 'noon'),
  }),
  defineTool({
    ...{
      name: 'note.put',
      version,
      description: 'Keeps.',
      effect: 'write',
      args: closed({ text: { type: 'string' } }),
    },
    run: noted('note.put', 'kept'),
  }),
];

/** The runtime of every input. */
export function openReported(): Promise<Runtime> {
  const grants = TOOLS.map(({ name: capability }) => ({ capability, mode: 'allow' }) as const);
  return openRuntime({ tools: TOOLS, grants });
}

/** What a run over the input comes to, by the names of `expected`. */
export async function outcomeOf(
  runtime: Runtime,
  input: ReportedInput,
  patience: Partial<OpenAIOptions> = {},
): Promise<Json> {
  const requests: Json[] = [];
  const fetch = serverOf(input.responses, requests);
  const model = fromOpenAI({ ...patience, baseUrl: 'http://127.0.0.1/v1', model: 'm', ...input.model, fetch });
  const { dialect = 'xct', task = 'Do it.', limits } = input;
  const run = runtime.start({ dialect, task, model, limits: { refusalsInRow: 3, ...limits } as RunLimits });
  const over = setTimeout(() => void run.abort('hung').catch(() => undefined), 8000);
  const why = await run.run();
  clearTimeout(over);
  const { end } = run.view;
  const records = await runtime.ledger.records(run.id);
  const receipts = records.flatMap((record) => (record.kind === 'receipt' ? [record.body] : []));
  if (end === undefined) await run.abort('seen');
  return {
    hung: end?.state === 'aborted',
    ...(why && { waits: why.message, ...(why.said !== undefined && { said: why.said }) }),
    ...end,
    steps: receipts.map(({ evidence, receipt }) => evidence.reason?.code ?? receipt.status),
    calls: receipts.map(({ receipt }) => executed.get(receipt.step_id)).filter((call) => call !== undefined),
    ...(end === undefined ? {} : { tokens: run.view.tokens }),
    requests,
  };
}

/** A server whose pieces arrive one by one, without a wait between them. */
function serverOf(responses: readonly ReportedResponse[], requests: Json[]): typeof fetch {
  return async (_, init) => {
    const body = String(init?.body);
    requests.push(JSON.parse(body) as Json);
    const step = responses[Math.min(requests.length, responses.length) - 1] as ReportedResponse;
    const { requireEcho, refuseMember, refuse = `Unsupported parameter: '${refuseMember}'` } = step;
    const lacks = requireEcho !== undefined && requests.length > 1 && !body.includes(requireEcho);
    if (lacks || (refuseMember !== undefined && Object.hasOwn(requests.at(-1) ?? {}, refuseMember)))
      return Response.json({ error: { message: refuse } }, { status: 400 });
    const headers = step.headers ?? { 'content-type': 'text/event-stream' };
    return new Response(bodyOf(step, init?.signal ?? undefined), { status: step.status ?? 200, headers });
  };
}

/** The body of an answer. */
export function bodyOf(
  { chunks = [], pieces, end }: ReportedResponse,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  const events = chunks.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`);
  const left = (pieces ?? events).map((piece) =>
    typeof piece === 'string' ? new TextEncoder().encode(piece) : Buffer.from(piece.hex, 'hex'),
  );
  return new ReadableStream<Uint8Array>({
    start: (out) => signal?.addEventListener('abort', () => out.error(signal.reason)),
    pull: (out) => {
      const piece = left.shift();
      if (piece !== undefined) out.enqueue(new Uint8Array(piece));
      else if (end === 'destroy') out.error(new TypeError('terminated'));
      else if (end === 'open') return new Promise(() => undefined);
      else out.close();
      return undefined;
    },
  });
}

/** The members of `expected` that came out otherwise. */
export function differences(expected: Json, outcome: Json): readonly string[] {
  const differs = (name: string): boolean => JSON.stringify(expected[name]) !== JSON.stringify(outcome[name]);
  return Object.keys(expected)
    .filter(differs)
    .map((name) => `${name}: ${JSON.stringify(outcome[name])}, expected ${JSON.stringify(expected[name])}`);
}
