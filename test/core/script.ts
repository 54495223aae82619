import type { CallSettled } from '../../core/capability/call.ts';
import type { SchemaVerdict } from '../../core/capability/check.ts';
import { ENGINE } from '../../core/capability/engine.ts';
import { makeGrant, makePolicy } from '../../core/capability/policy.ts';
import type { Registry } from '../../core/capability/registry.ts';
import { BUDGETS } from '../../core/content/budget.ts';
import type { JsonObject, JsonValue } from '../../core/json/value.ts';
import { RUN_LIMITS, type RunLimits } from '../../core/limits.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import type { Ending, RunEvent } from '../../core/run/event.ts';
import type { RunFacts } from '../../core/run/state.ts';
import { acknowledge, check, type Outside, outside, reply, send } from './run/outside.ts';
import { checker } from './schemas.ts';
import { registryOf } from './validator.ts';
import { bytesOf, definitions, type Part } from './vectors.ts';

type Answer = Extract<RunEvent, { type: 'answered' }>['answer'];

/** An answer of the outside, in order. Answers that a script leaves out are good answers. */
export type Line =
  | { readonly propose: Part; readonly now?: number }
  | { readonly model_failed: 'model_exhausted' | 'model_failed' }
  | { readonly check: SchemaVerdict; readonly only?: 'constraints' }
  | { readonly answer: Answer; readonly now?: number }
  | {
      readonly settle: {
        readonly ok: boolean;
        readonly text?: string;
        readonly kind?: string;
        readonly error?: JsonObject;
      };
    }
  /** `at`: the effect for which the run waits. */
  | { readonly stop: Ending; readonly at?: 'propose' | 'check' | 'ask' | 'execute' }
  /** A person revokes the grants for this capability. */
  | { readonly revoke: string; readonly at?: 'propose' | 'check' | 'ask' | 'execute' | 'append' }
  | { readonly lost: string }
  /** An effect meets a defect of the runtime. */
  | { readonly broken: string };

export interface RunInput {
  readonly dialect: Dialect;
  readonly registry: string;
  readonly grants: readonly { readonly capability: string; readonly mode: 'allow'; readonly where?: JsonObject }[];
  readonly enabled?: readonly string[];
  readonly authorizer?: string;
  readonly remote?: string;
  readonly limits?: Partial<RunLimits>;
  readonly script: readonly Line[];
}

function factsOf({ dialect, registry: name, grants, enabled, authorizer, remote, limits }: RunInput): RunFacts {
  const registry = registryOf(definitions(name));
  const hash = (capability: string) => registry.capabilities.get(capability)?.hash ?? '';
  const bound = grants.map(({ capability, ...terms }) =>
    makeGrant({ name: capability, hash: hash(capability) }, terms),
  );
  return {
    run_id: '00000000-0000-4000-8000-000000000000',
    dialect,
    registry,
    policy: makePolicy((enabled ?? [...registry.capabilities.keys()]).map(hash), bound, true, authorizer),
    limits: { ...RUN_LIMITS, ...limits },
    limits_hash: '0'.repeat(64),
    budgets: BUDGETS,
    model: 'script',
    ...(remote === undefined ? {} : { remote }),
    isolation: 'node',
    engine: ENGINE,
    precompiled: new Map(),
  };
}

/** Plays a script through a run, to the end of the run or of the script. */
export function play(input: RunInput): Outside {
  const facts = factsOf(input);
  const world = outside(facts);
  const lines = [...input.script];
  send(world, { type: 'start', task: 'Do it.' });
  acknowledge(world);
  send(world, { type: 'run' });
  while (turn(world, facts.registry, input, lines));
  return world;
}

/** Takes the next line when the run waits for it; gives a good answer when the script has no line for it. */
function turn(world: Outside, registry: Registry, input: RunInput, lines: Line[]): boolean {
  const { waiting } = world;
  const next = <K extends string>(name: K): Extract<Line, { [N in K]: unknown }> | undefined => {
    const [line] = lines;
    return line !== undefined && name in line ? (lines.shift() as Extract<Line, { [N in K]: unknown }>) : undefined;
  };
  const [line] = lines;
  if (line !== undefined && 'revoke' in line && waiting.has(line.at ?? 'execute'))
    return done(revoke(world, next('revoke')));
  const broken = next('broken')?.broken;
  if (broken !== undefined) return done(send(world, { type: 'broken', reason: broken }));
  if (waiting.has('append')) return done(acknowledge(world, next('lost')?.lost));
  const stop =
    line !== undefined && 'stop' in line && waiting.has(line.at ?? [...waiting.keys()][0] ?? 'propose')
      ? next('stop')
      : undefined;
  if (stop !== undefined) return done(send(world, { type: 'stop', ending: stop.stop }));
  if (waiting.has('check')) return done(checkAll(world, registry, input, next('check')));
  if (waiting.has('execute')) return done(settled(world, next('settle')));
  const person = waiting.has('ask') ? 'ask' : waiting.has('ask_consent') ? 'ask_consent' : undefined;
  if (person !== undefined) {
    const { answer, now = 1 } = next('answer') ?? { answer: { approved: true } as const };
    return done(reply(world, person, ({ question }) => ({ type: 'answered', digest: question.digest, answer, now })));
  }
  if (!waiting.has('propose')) return false;
  const failed = next('model_failed');
  const error = { name: 'Error', message: 'The model did not answer.' };
  if (failed !== undefined)
    return done(
      reply(world, 'propose', ({ step }) => ({ type: 'model_failed', step, code: failed.model_failed, error })),
    );
  const said = next('propose');
  if (said === undefined) return false;
  const { propose: part, now = 1 } = said;
  return done(
    reply(world, 'propose', ({ step }) => ({ type: 'proposed', step, bytes: bytesOf(part), now, nonce: String(step) })),
  );
}

function revoke(world: Outside, line?: Extract<Line, { revoke: unknown }>): void {
  const grants = world.state.policy.grants.filter(({ capability }) => capability === line?.revoke);
  send(world, { type: 'revoked', grants: grants.map(({ id }) => id), capabilities: [] });
}

const done = (_: unknown): true => true;

function checkAll(
  world: Outside,
  registry: Registry,
  { grants }: RunInput,
  line?: Extract<Line, { check: unknown }>,
): void {
  const asked = world.waiting.get('check');
  const value = asked?.type === 'check' ? (JSON.parse(asked.text) as JsonValue) : null;
  const own = new Map<string, JsonObject>();
  for (const { schemas, manifest } of registry.capabilities.values()) {
    own.set(schemas.args, manifest.args);
    if (schemas.result !== undefined && manifest.result !== undefined) own.set(schemas.result, manifest.result);
  }
  const wheres = grants.flatMap(({ where }) => where ?? []);
  const byHash = new Map(
    world.state.facts.policy.grants.flatMap(({ where_hash, where }) =>
      where_hash === undefined || where === undefined ? [] : [[where_hash, where] as const],
    ),
  );
  if (wheres.length > byHash.size) throw new Error('a constraint was lost');
  check(world, (hash) => {
    if (line !== undefined && (line.only === undefined || byHash.has(hash))) return line.check;
    return { issues: checker(own.get(hash) ?? byHash.get(hash) ?? {})(value) };
  });
}

function settled(world: Outside, line?: Extract<Line, { settle: unknown }>): void {
  const said = line?.settle ?? { ok: true, text: 'null' };
  const outcome = { fuel: 1, console: [], powerCalls: [], ...said } as unknown as CallSettled;
  reply(world, 'execute', ({ step }) => ({ type: 'settled', step, settled: outcome, image_hash: '0'.repeat(64) }));
}
