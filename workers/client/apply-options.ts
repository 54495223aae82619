import type { TypedDefinition } from '../../core/capability/author.ts';
import { QUARANTINE_ASK } from '../../core/capability/built-in-power.ts';
import type { CapabilityDefinition } from '../../core/capability/define.ts';
import { isCount, isObject } from '../../core/json/value.ts';
import {
  CALLBACK,
  demand,
  each,
  FLAG,
  LIST,
  OBJECT,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
  TEXT,
} from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import { refusalError, unwrap } from '../../core/sallyport-error.ts';
import type { PowerDefinition, RuntimeOptions } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { loadPart, part } from '../load-part.ts';
import { definedProperties, ownProperties } from '../own-properties.ts';
import type { Rules } from './authorizer.ts';
import type { ToolClient } from './tools.ts';

/** No other member: a misspelt one would keep no run. */
const RETENTION: OptionType = [
  'an object such as { keepAtLeast: { days: 183 } }',
  (value) => isOnly(value, 'keepAtLeast', (kept) => isOnly(kept, 'days', (days) => isCount(days) && days < DAYS_END)),
];

const DAYS_END = 100_000;

function isOnly(value: unknown, name: string, is: (member: unknown) => boolean): boolean {
  return isObject(value) && Object.keys(value).join() === name && is(value[name]);
}

/** Options that every runtime takes. */
export const RUNTIME_OPTIONS: OptionTypes = {
  ...each(['capabilities', 'powers', 'tools', 'grants'], LIST),
  ...each(['approve', 'consent', 'onNotice'], CALLBACK),
  authorizer: OBJECT,
  quarantine: OBJECT,
  guard: FLAG,
  signal: SIGNAL,
  hold: oneOf('untrusted', 'private', 'all'),
  retention: RETENTION,
};

const PAGE_OPTIONS: OptionTypes = {
  ...RUNTIME_OPTIONS,
  store: oneOf('browser', 'memory'),
  database: [
    '1 to 40 small letters, digits and _',
    (value) => typeof value === 'string' && /^[a-z0-9_]{1,40}$/.test(value),
  ],
  assets: TEXT,
  onProgress: CALLBACK,
};

/** Throws `option_invalid` for a faulty option, before a worker starts. */
export function assertPageOptions(options: object): void {
  optionsOf(options, PAGE_OPTIONS);
}

/**
 * Sets the retention, provides tools, registers capabilities, provides powers and adds grants from the options, in this
 * order, and checks the authorizer last.
 */
export async function applyOptions(
  kernel: Kernel,
  options: RuntimeOptions,
  tools: () => Promise<ToolClient>,
): Promise<Rules | undefined> {
  optionsOf(options, RUNTIME_OPTIONS);
  const { capabilities = [], powers, grants = [], quarantine, retention, signal } = options;
  if (retention !== undefined) await kernel.keep(retention);
  if (options.tools !== undefined) await (await tools()).add(options.tools, signal);
  signal?.throwIfAborted();
  const asking = quarantine && (await loadPart(() => import('./quarantine.ts'))).asking(quarantine);
  if (asking !== undefined) await provide(kernel, asking.power);
  // all at once: the kernel has the schemas of many judged together
  const registered = await Promise.all(capabilities.map((each) => register(kernel, each)));
  await allTaken(registered, '/capabilities');
  if (powers !== undefined) await provideAll(kernel, powers);
  grants.forEach((grant, at) => demand(`grants[${at}]`, grant, OBJECT));
  const granted = await Promise.all(grants.map((grant) => kernel.grant(ownProperties(grant))));
  await allTaken(granted, '/grants');
  // the program's own grant counts alone
  const isGranted = grants.some(({ power }) => power === asking?.power.name);
  if (asking !== undefined && !isGranted) unwrap(await kernel.grant(asking.grant));
  return options.authorizer && (await loadPart(() => import('./authorizer.ts'))).rulesOf(options.authorizer);
}

/** A definition with functions does not cross to the kernel, so it is judged here. */
async function register(kernel: Kernel, given: CapabilityDefinition): Promise<Outcome<unknown>> {
  const definition = definitionOf(given);
  const isData = Object.values(definition).every((value) => typeof value !== 'function');
  return isData ? kernel.register(definition, true) : (await refused()).judge(definition);
}

/** Throws the first refusal, with the place of its item in the program's options. */
async function allTaken(outcomes: readonly Outcome<unknown>[], list: string): Promise<void> {
  for (const [at, outcome] of outcomes.entries())
    if (!outcome.ok) throw refusalError((await refused()).placedAt(outcome.refusal, `${list}/${at}`));
}

/** Its code loads only where an option is refused. */
const refused = () => loadPart(() => import('./refused-options.ts'));

/** Registers the page's powers. Their code loads only where a page has powers. */
async function provideAll(kernel: Kernel, powers: readonly PowerDefinition[]): Promise<void> {
  for (const power of powers) await providePower(kernel, power);
}

const loadRunner = part(() => import('./power-runner.ts'));

export async function providePower(kernel: Kernel, power: PowerDefinition): Promise<void> {
  demand('name', power.name, ['a name other than quarantine.ask', (name) => name !== QUARANTINE_ASK]);
  await provide(kernel, power);
}

async function provide(kernel: Kernel, power: PowerDefinition): Promise<void> {
  const { run, ...terms } = ownProperties(power);
  demand('run', run, CALLBACK);
  const { runnerOf } = await loadRunner();
  unwrap(await kernel.provide(terms, runnerOf({ name: terms.name, run })));
}

/** A definition without its author's types: only data crosses to the kernel. */
export function definitionOf(given: CapabilityDefinition): CapabilityDefinition {
  const { '~types': _, ...definition } = definedProperties<TypedDefinition<unknown, unknown>>(given);
  return definition;
}
