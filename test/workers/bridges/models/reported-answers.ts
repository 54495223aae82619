import type { RunLimits } from '../../../../core/limits.ts';
import { fromOpenAI, type OpenAIOptions } from '../../../../workers/bridges/models/openai.ts';
import { defineTool } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { type Behaviour, sendPieces, serve } from './server.ts';

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

/** What a run over the input comes to, by the names of `expected`. */
export async function outcomeOf(input: ReportedInput, patience: Partial<OpenAIOptions> = {}): Promise<Json> {
  const calls: unknown[] = [];
  const noted = (name: string, args: unknown): void => void calls.push([name, structuredClone(args)]);
  const number = { type: 'number' };
  const version = '1.0.0';
  const tools = [
    defineTool({
      ...{ name: 'math.add', version, description: 'Adds.', effect: 'pure', args: closed({ a: number, b: number }) },
      run: (args: unknown) => (noted('math.add', args), 5),
    }),
    defineTool({
      ...{ name: 'time.now', version, description: 'Tells the time.', effect: 'read', labels: [], args: closed({}) },
      run: (args: unknown) => (noted('time.now', args), 'noon'),
    }),
    defineTool({
      ...{
        name: 'note.put',
        version,
        description: 'Keeps.',
        effect: 'write',
        args: closed({ text: { type: 'string' } }),
      },
      run: (args: unknown) => (noted('note.put', args), 'kept'),
    }),
  ];
  const grants = tools.map(({ name: capability }) => ({ capability, mode: 'allow' }) as const);
  const runtime = await openRuntime({ tools, grants });
  const server = await serve({ v1: behaviourOf(input.responses) });
  try {
    const model = fromOpenAI({ ...patience, baseUrl: `${server.origin}/v1`, model: 'm', ...input.model });
    const { dialect = 'xct', task = 'Do it.', limits } = input;
    const run = runtime.start({ dialect, task, model, limits: { refusalsInRow: 3, ...limits } as RunLimits });
    const over = setTimeout(() => void run.abort('hung').catch(() => undefined), 8000);
    const why = await run.run();
    clearTimeout(over);
    const end = run.view.end;
    const records = await runtime.ledger.records(run.id);
    return {
      hung: end?.state === 'aborted',
      ...(why && { waits: why.message, ...(why.said !== undefined && { said: why.said }) }),
      ...(end && { ...end, ...run.view.end }),
      steps: records.flatMap((record) =>
        record.kind === 'receipt' ? [record.body.evidence.reason?.code ?? record.body.receipt.status] : [],
      ),
      calls,
      requests: server.seen.map(({ body }) => JSON.parse(body) as Json),
    };
  } finally {
    await server.close();
    await runtime.close();
  }
}

function behaviourOf(responses: readonly ReportedResponse[]): Behaviour {
  let asked = 0;
  return async (response, { body }) => {
    const step = responses[Math.min(asked++, responses.length - 1)] as ReportedResponse;
    const { requireEcho, refuseMember, refuse = `Unsupported parameter: '${refuseMember}'` } = step;
    const lacks = requireEcho !== undefined && asked > 1 && !body.includes(requireEcho);
    if (lacks || (refuseMember !== undefined && Object.hasOwn(JSON.parse(body) as Json, refuseMember)))
      return void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: refuse } }));
    response.writeHead(step.status ?? 200, step.headers ?? { 'content-type': 'text/event-stream' });
    const events = (step.chunks ?? []).map(
      (each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`,
    );
    await sendPieces(
      response,
      (step.pieces ?? events).map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece.hex, 'hex'))),
    );
    if (step.end === 'destroy') response.destroy();
    else if (step.end !== 'open') response.end();
  };
}

/** The members of `expected` that came out otherwise. */
export function differences(expected: Json, outcome: Json): readonly string[] {
  const differs = (name: string): boolean => JSON.stringify(expected[name]) !== JSON.stringify(outcome[name]);
  return Object.keys(expected)
    .filter(differs)
    .map((name) => `${name}: ${JSON.stringify(outcome[name])}, expected ${JSON.stringify(expected[name])}`);
}
