import { type Code, isObject, type JsonValue, type Step } from '../../../core/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../../workers/api.ts';
import { type Lab, type LabOptions, type OpenRuntime, openLab, type Trial } from '../lab/lab.ts';
import { ATTACKS } from './attacks.ts';
import { definitionOf, HONEST, nameOf } from './escape-capability.ts';
import { ESCAPES } from './escapes.ts';

/** A proposal, and the gate or limit that is expected to stop it. */
export interface BreakoutAttempt {
  readonly id: string;
  readonly kind: 'proposal' | 'guest';
  readonly title: string;
  readonly caption: string;
  /** The proposal's text, byte for byte. */
  readonly text: string;
  /** The guest's source, if the attack is guest code. */
  readonly source?: string;
  readonly expects: { readonly code?: Code; readonly step?: Step };
}

/** The end of an attempt, read from its receipt, and the end of the honest call right after it. */
export interface AttackVerdict {
  readonly trial: Trial;
  readonly code: Code | undefined;
  readonly step: Step | undefined;
  /** The names that the guest reached. Empty, unless the sandbox has a hole. */
  readonly reached: readonly string[];
  /** It ended as expected, reached no forbidden name, and left the next call a clean heap. */
  readonly held: boolean;
  readonly next: Trial;
}

export const ATTEMPTS: readonly BreakoutAttempt[] = [
  ...ESCAPES.map(
    (escape): BreakoutAttempt => ({
      id: escape.slug,
      kind: 'guest',
      get title() {
        return escape.title;
      },
      get caption() {
        return escape.caption;
      },
      text: call(nameOf(escape), 'Break out'),
      source: escape.source,
      expects: escape.stops === undefined ? {} : { code: escape.stops },
    }),
  ),
  ...ATTACKS.map(
    (attack, i): BreakoutAttempt => ({
      id: `p${i + 1}`,
      kind: 'proposal',
      get title() {
        return attack.title;
      },
      get caption() {
        return attack.caption;
      },
      text: attack.text,
      expects: attack.stops,
    }),
  ),
];

function call(tool: string, goal: string): string {
  return JSON.stringify({ next_step: { tool, arguments: {}, goal } });
}

/** The proposals name these capabilities, so they must exist; one of them has no grant, and that stops its proposal. */
const NAMED = ['calc.eval', 'unit.convert', 'calendar.add'];

/** A run in which every attacker is registered, enabled and granted: a missing permission never stops it. */
export function openBreakout(open: OpenRuntime, catalogue: readonly CapabilityDefinition[]): Promise<Lab> {
  const named = catalogue.filter(({ name }) => NAMED.includes(name));
  const hostile = [...ESCAPES.map(definitionOf), HONEST];
  const granted = [...hostile, ...named].filter(({ name }) => name !== 'calendar.add');
  const grants: readonly GrantOption[] = granted.map(({ name }) => ({ capability: name, mode: 'allow' }));
  const options: LabOptions = {
    capabilities: [...hostile, ...named],
    grants,
    task: 'Break out',
    limits: { steps: 10_000, refusalsInRow: 10_000 },
  };
  return openLab(open, options);
}

export async function attempt(lab: Lab, { text, expects }: BreakoutAttempt): Promise<AttackVerdict> {
  const trial = await lab.propose(text);
  const next = await lab.propose(call(HONEST.name, 'Go on'));
  const { reason } = trial.receipt.body.evidence;
  const reached = reachedBy(trial);
  const stopped = expects.code === undefined || reason?.code === expects.code;
  const place = expects.step === undefined || reason?.step === expects.step;
  const clean = next.receipt.body.evidence.reason === undefined && reachedBy(next).length === 0;
  const held = stopped && place && clean && reached.length === 0;
  return { trial, code: reason?.code, step: reason?.step, reached, held, next };
}

/** A guest that ran to its end tells its findings. They are a stranger's text, and are only ever shown. */
function reachedBy({ reply }: Trial): readonly string[] {
  const told = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  const result = isObject(told) && told['status'] === 'success' ? told['result'] : undefined;
  const reached = isObject(result) ? result['reached'] : undefined;
  return Array.isArray(reached) ? reached.map(String) : [];
}
