import type { Dialect } from '../../../core/index.ts';
import { withFiles } from '../../../sandbox/capabilities/index.ts';
import type { CapabilityDefinition, GrantOption } from '../../../workers/api.ts';
import { CORPUS } from './corpus.ts';
import { MESSAGES, messageOf } from './messages.ts';
import { FORMS, type ScriptMove, type ScriptStep, stepIn } from './moves.ts';
import { MOVES, TASK } from './script.ts';

/** A run that is ready to start, with a word on each of its steps. */
export interface DemoScenario {
  readonly id: 'bakery';
  readonly name: string;
  readonly task: string;
  readonly dialect: Dialect;
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  /** The texts of `steps`. */
  readonly script: readonly string[];
  readonly steps: readonly ScriptStep[];
}

const CAPABILITIES: readonly CapabilityDefinition[] = withFiles(CORPUS);

/** Reading and reckoning are allowed, a single kind of writing asks, and `calendar.add` has no grant. */
const GRANTS: readonly GrantOption[] = [
  ...CAPABILITIES.filter(({ effect }) => effect === 'pure').map(({ name }) => allow(name)),
  ...CAPABILITIES.filter(({ effect }) => effect === 'read').map(({ name }) => allow(name)),
  { capability: 'notes.put', mode: 'ask', uses: 3 },
];

/** Grants of a run whose proposals are messages: reading is allowed, and changing a paper asks. */
const OPERATIONS: readonly GrantOption[] = [allow('content.read'), { capability: 'content.write', mode: 'ask' }];

/** The first screen, in the dialect of choice: the same moves in another form. */
export function bakery(dialect: Dialect): DemoScenario {
  const steps =
    dialect === 'catalytic' ? MESSAGES.map(stepIn(messageOf)) : MOVES.map(stepIn<ScriptMove>(FORMS[dialect]));
  const script = steps.map(({ text }) => text);
  return {
    id: 'bakery',
    name: 'Kestrel Street Bakery',
    task: TASK,
    dialect,
    capabilities: CAPABILITIES,
    grants: dialect === 'catalytic' ? [...GRANTS, ...OPERATIONS] : GRANTS,
    script,
    steps,
  };
}

function allow(capability: string): GrantOption {
  return { capability, mode: 'allow' };
}
