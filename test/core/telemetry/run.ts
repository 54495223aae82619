import type { CallSettled } from '../../../core/capability/call.ts';
import type { SchemaVerdict } from '../../../core/capability/check.ts';
import { define } from '../../../core/capability/define.ts';
import { ENGINE } from '../../../core/capability/engine.ts';
import { makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import { makeRegistry } from '../../../core/capability/registry.ts';
import { BUDGETS } from '../../../core/content/budget.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { Draft } from '../../../core/ledger/record.ts';
import { RUN_LIMITS } from '../../../core/limits.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { Dialect } from '../../../core/protocol/dialect.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { initialState, limitsHash, type RunFacts, type RunState } from '../../../core/run/state.ts';
import { transition } from '../../../core/run/transition.ts';

/** Answers of the world around a run, a word for each question, so that a list of words is a whole run. */
export interface World {
  /** Requests that the model fails to answer before its first proposal, and may answer later. */
  readonly failures?: number;
  readonly dialect: Dialect;
  readonly remote: boolean;
  /** True if the schema of the arguments is checked in core, false if outside. */
  readonly precompiled: boolean;
  readonly mode: 'running' | 'stepping';
  readonly proposals: readonly string[];
  readonly answers: readonly ('yes' | 'no' | 'other')[];
  readonly checks: readonly ('holds' | 'issue' | 'lost' | 'fuel')[];
  readonly calls: readonly ('value' | 'not json' | 'threw' | 'fuel')[];
  /** Number of events after which a person stops the run, and after which the disk is gone. */
  readonly stopAfter: number;
  readonly lostAfter: number;
  /** Unrequested events, each with the number of events before it. */
  readonly stray: readonly { readonly after: number; readonly event: RunEvent }[];
}

/** A transition of a run, in the form in which telemetry gets it. */
export interface Moment {
  readonly before: RunState;
  readonly event: RunEvent;
  readonly after: RunState;
  readonly effects: readonly RunEffect[];
}

export const RUN_ID = '3f0e4a8c-5b1d-4c6e-9a77-0d2f1b3c4d5e';
/** Stands in arguments, results, messages and reasons: no telemetry may hold it. */
export const CONTENT = 'quince-marmalade';

const ARGS = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};
const CAPABILITIES = (['pure', 'read', 'write', 'egress'] as const).map((effect) =>
  must(
    define({
      name: `test.${effect}`,
      version: '1.0.0',
      description: effect,
      args: ARGS,
      effect,
      source: 'export default (args) => args;',
    }),
  ),
);
const UNGRANTED = must(
  define({ name: 'test.none', version: '1.0.0', description: '', args: ARGS, effect: 'pure', source: '' }),
);
const DISABLED = must(
  define({ name: 'test.off', version: '1.0.0', description: '', args: ARGS, effect: 'pure', source: '' }),
);

const REGISTRY = must(makeRegistry([...CAPABILITIES, UNGRANTED, DISABLED]));
/** Hash of the capability that a stray event may disable. */
export const PURE: string = CAPABILITIES[0]?.hash ?? '';

const GRANTS = CAPABILITIES.map(({ hash, manifest }) =>
  makeGrant(
    { name: manifest.name, hash },
    { mode: manifest.effect === 'write' ? 'ask' : 'allow', ...(manifest.effect === 'pure' ? { uses: 2 } : {}) },
  ),
);
const POLICY = makePolicy(
  [...CAPABILITIES, UNGRANTED].map(({ hash }) => hash),
  GRANTS,
);

export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
}

function factsOf({ dialect, precompiled, remote }: World): RunFacts {
  const limits = { ...RUN_LIMITS, steps: 12, refusalsInRow: 5 };
  const schemas = CAPABILITIES.map(({ schemas: { args } }) => [args, () => []] as const);
  return {
    run_id: RUN_ID,
    dialect,
    registry: REGISTRY,
    policy: POLICY,
    limits,
    limits_hash: limitsHash({ limits, budgets: BUDGETS }),
    budgets: BUDGETS,
    model: 'test',
    isolation: 'node',
    engine: ENGINE,
    precompiled: new Map(precompiled ? schemas : []),
    ...(remote ? { remote: 'https://models.example' } : {}),
  };
}

/** Plays a run to its end, or until the world has no more answers, with the real transition and the real records. */
export function play(world: World): {
  readonly moments: readonly Moment[];
  readonly written: readonly Draft[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
} {
  const moments: Moment[] = [];
  const written: Draft[] = [];
  const payloads = new Map<string, Uint8Array>();
  const queue: RunEvent[] = [{ type: 'start', task: CONTENT }, { type: world.mode === 'running' ? 'run' : 'step' }];
  const says = new Says(world);
  let state = initialState(factsOf(world));
  const unwritten: Draft[] = [];
  for (let turn = 0; turn < 400; turn++) {
    const stray = world.stray.find(({ after }) => after === turn)?.event;
    const stop: RunEvent = { type: 'stop', ending: { state: 'aborted', message: CONTENT } };
    const event = turn === world.stopAfter ? stop : (stray ?? queue.shift() ?? next(state, world));
    if (event === undefined) break;
    if (event.type === 'appended' || event.type === 'noted') written.push(...unwritten.splice(0));
    const [after, effects] = transition(state, event);
    moments.push({ before: state, event, after, effects });
    state = after;
    for (const effect of effects) {
      if (effect.type !== 'append' && effect.type !== 'note') {
        queue.push(...says.answer(effect));
        continue;
      }
      unwritten.push(...effect.drafts);
      for (const { ref, bytes } of effect.payloads) payloads.set(ref.sha256, bytes);
      queue.push(...(turn >= world.lostAfter ? [LOST] : says.answer(effect)));
    }
  }
  return { moments, written, payloads };
}

const LOST: RunEvent = { type: 'append_failed', reason: CONTENT };

/** A run at rest is driven on while proposals remain. */
function next({ at, steps }: RunState, { mode, proposals }: World): RunEvent | undefined {
  if (at.phase !== 'IDLE' || steps >= proposals.length) return undefined;
  return { type: mode === 'running' ? 'run' : 'step' };
}

class Says {
  private readonly world: World;
  private readonly turns = { answers: 0, checks: 0, calls: 0 };
  private failed = 0;
  constructor(world: World) {
    this.world = world;
  }

  answer(effect: RunEffect): readonly RunEvent[] {
    if (effect.type === 'propose') return [this.proposed(effect.step)];
    if (effect.type === 'check') return [this.checks(effect.step, effect.schemas)];
    if (effect.type === 'ask' || effect.type === 'ask_consent') return this.answered(effect.question.digest);
    if (effect.type === 'execute') return [this.settled(effect.step)];
    if (effect.type === 'note') return [{ type: 'noted' }];
    return effect.type === 'append' ? [{ type: 'appended' }] : [];
  }

  private proposed(step: number): RunEvent {
    const error = { name: 'Error', message: CONTENT };
    if (this.failed++ < (this.world.failures ?? 0))
      return { type: 'model_failed', step, code: 'model_failed', error, retryable: true, after_ms: 5 };
    const text = this.world.proposals[step - 1];
    if (text !== undefined)
      return { type: 'proposed', step, bytes: encodeText(text), now: 1_700_000_000_000 + step, nonce: '00' };
    return { type: 'model_failed', step, code: 'model_exhausted', error };
  }

  private checks(step: number, schemas: readonly string[]): RunEvent {
    return { type: 'checked', step, results: new Map(schemas.map((hash) => [hash, this.checked()])) };
  }

  private settled(step: number): RunEvent {
    return { type: 'settled', step, settled: this.call(), image_hash: '0'.repeat(64) };
  }

  private word<T>(list: 'answers' | 'checks' | 'calls', words: readonly T[], otherwise: T): T {
    return words[this.turns[list]++ % Math.max(words.length, 1)] ?? otherwise;
  }

  private checked(): SchemaVerdict {
    const said: Record<World['checks'][number], SchemaVerdict> = {
      holds: { issues: [] },
      issue: { issues: [{ pointer: '/text', keyword: 'type', message: CONTENT }] },
      lost: { failed: 'lost' },
      fuel: { failed: 'fuel', limit: 10, used: 11 },
    };
    return said[this.word('checks', this.world.checks, 'holds')];
  }

  private answered(digest: string): readonly RunEvent[] {
    const now = 1_700_000_001_000;
    const other: RunEvent = { type: 'answered', digest: 'f'.repeat(64), answer: { approved: true }, now };
    const no: RunEvent = { type: 'answered', digest, answer: { approved: false, reason: CONTENT }, now };
    const yes: RunEvent = { type: 'answered', digest, answer: { approved: true }, now };
    const said = this.word('answers', this.world.answers, 'yes');
    return said === 'yes' ? [yes] : said === 'no' ? [no] : [other, yes];
  }

  private call(): CallSettled {
    const used = { fuel: 5, console: [{ level: 'log', text: CONTENT }], powerCalls: [] } as const;
    const said: Record<World['calls'][number], CallSettled> = {
      value: { ok: true, text: JSON.stringify({ text: CONTENT }), ...used },
      'not json': { ok: true, text: '{', ...used },
      threw: { ok: false, kind: 'threw', error: { name: 'Error', message: CONTENT }, ...used },
      fuel: { ok: false, kind: 'fuel', ...used },
    };
    return said[this.word('calls', this.world.calls, 'value')];
  }
}
