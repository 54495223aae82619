import { canonicalText, type LedgerRecord, lint } from '../../core/index.ts';
import { type CompiledSchema, type Engine, SchemaChecker, SchemaCompiler } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import type { ModelPort, Runtime } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import type { SchemaPort } from '../../workers/ports.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { oneRealm } from '../workers/sandbox/one-realm.ts';
import { type Adding, DONE, expected, proposal } from './adding.ts';
import { must } from './must.ts';

/** The runtime in one realm: kernel, sandbox and schema realm without a worker between them. */
export async function openHere(
  engine: Engine,
  store: LedgerStore,
  adding: Adding,
  sandbox?: Awaited<ReturnType<typeof oneRealm>>,
): Promise<Runtime> {
  let nonces = 0;
  const sandboxes = async () => ({ sandbox: sandbox ?? (await oneRealm(engine)), schemas: schemasHere(engine) });
  const kernel = makeKernel(
    {
      store,
      ...(await sandboxes()),
      claim: async () => () => undefined,
      random: () => Math.random(),
      now: () => Date.now(),
      nonce: () => String(nonces++).padStart(32, '0'),
    },
    { isolation: 'node', probes: [], store: { kind: 'memory' } },
  );
  return openClient(kernel, async () => localAuditor(sandboxes), {
    capabilities: [adding.definition],
    grants: [{ capability: adding.definition.name, mode: 'allow' }],
  });
}

/** The schema realm, called directly. */
function schemasHere(engine: Engine): SchemaPort {
  const compiled = new Map<string, CompiledSchema>();
  let compiler: SchemaCompiler | undefined;
  let checker: SchemaChecker | undefined;
  return {
    async register(schema) {
      compiler ??= new SchemaCompiler(engine, SCHEMA_COMPILER);
      const linted = must(lint(schema));
      compiled.set(linted.hash, must(compiler.compile(linted)));
      checker = undefined;
      return { ok: true, value: linted.hash };
    },
    async check(hashes, text) {
      checker ??= new SchemaChecker(engine, SCHEMA_CHECKER, [...compiled.values()]);
      const own = checker;
      return new Map(hashes.map((hash) => [hash, own.check(hash, text)]));
    },
  };
}

export interface Played {
  readonly ms: number;
  /** ms from each proposal to the request for the next. */
  readonly steps: readonly number[];
  readonly run_id: string;
}

/** A run of `steps` calls from an instant model, and its end. `before` is awaited ahead of each proposal, off the clock. */
export async function play(
  runtime: Runtime,
  adding: Adding,
  steps: number,
  before?: (step: number) => Promise<void> | undefined,
): Promise<Played> {
  const [asked, answered]: [number[], number[]] = [[], []];
  const script = Array.from({ length: steps }, (_, at) => proposal(adding, at + 1));
  const model: ModelPort = {
    id: 'script',
    async propose() {
      const step = asked.push(performance.now()) - 1;
      await before?.(step);
      answered.push(performance.now());
      return { text: script[step] ?? DONE };
    },
  };
  const start = performance.now();
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model, limits: { steps: steps + 1 }, paused: true });
  await run.run();
  const end = await run.result;
  const ms = performance.now() - start;
  if (end.state !== 'completed') throw new Error(`the run ended ${end.state}: ${end.code} ${end.message}`);
  return { ms, steps: asked.slice(1).map((at, step) => at - (answered[step] ?? 0)), run_id: run.id };
}

/** Throws unless every call of the run succeeded with its expected result. */
export async function assertAdded(runtime: Runtime, run_id: string, adding: Adding, steps: number): Promise<void> {
  const records = await runtime.ledger.records(run_id);
  const results: string[] = [];
  for (const record of records.filter(isObservation)) {
    const bytes = await runtime.ledger.payload(run_id, record.body.payload.sha256);
    const said = JSON.parse(new TextDecoder().decode(bytes)) as { readonly result: unknown };
    results.push(canonicalText(said.result));
  }
  if (canonicalText(results) !== canonicalText(expected(adding, steps))) throw new Error('ours came to other results');
}

type Observation = Extract<LedgerRecord, { kind: 'observation' }>;
function isObservation(record: LedgerRecord): record is Observation {
  return record.kind === 'observation';
}
