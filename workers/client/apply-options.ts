import type { TypedDefinition } from '../../core/capability/author.ts';
import type { CapabilityDefinition } from '../../core/capability/define.ts';
import {
  assertKinds,
  CALLBACK,
  each,
  FLAG,
  LIST,
  OBJECT,
  type OptionTypes,
  oneOf,
  optionsOf,
  SIGNAL,
  TEXT,
} from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { PowerDefinition, RuntimeOptions } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { loadPart } from '../load-part.ts';
import { definedProperties, ownProperties } from '../own-properties.ts';
import type { Rules } from './authorizer.ts';
import type { ToolClient } from './tools.ts';

const OPTIONS: OptionTypes = {
  ...each(['capabilities', 'powers', 'tools', 'grants'], LIST),
  ...each(['approve', 'consent', 'onNotice'], CALLBACK),
  authorizer: OBJECT,
  guard: FLAG,
  signal: SIGNAL,
};

const OPENING: OptionTypes = { store: oneOf('browser', 'memory'), assets: TEXT, onProgress: CALLBACK, signal: SIGNAL };

/** Throws `option_invalid` for a wrong type of an option that the page reads. `applyOptions` checks the others. */
export function assertPageOptions(options: object): void {
  assertKinds(options, OPENING);
}

/**
 * Provides tools, registers capabilities, provides powers and adds grants from the options, in this order, and checks
 * the authorizer last.
 */
export async function applyOptions(
  kernel: Kernel,
  options: RuntimeOptions,
  tools: () => Promise<ToolClient>,
): Promise<Rules | undefined> {
  optionsOf(options, OPTIONS);
  const { capabilities = [], powers, grants = [] } = options;
  if (options.tools !== undefined) await (await tools()).add(options.tools);
  // all at once: the kernel has the schemas of many judged together
  (await Promise.all(capabilities.map((each) => kernel.register(definitionOf(each), true)))).forEach(unwrap);
  if (powers !== undefined) await provideAll(kernel, powers);
  (await Promise.all(grants.map((grant) => kernel.grant(ownProperties(grant))))).forEach(unwrap);
  return options.authorizer && (await loadPart(() => import('./authorizer.ts'))).rulesOf(options.authorizer);
}

/** Registers the page's powers. Their code loads only where a page has powers. */
async function provideAll(kernel: Kernel, powers: readonly PowerDefinition[]): Promise<void> {
  for (const power of powers) await providePower(kernel, power);
}

export async function providePower(kernel: Kernel, power: PowerDefinition): Promise<void> {
  const { run, ...terms } = ownProperties(power);
  const { runnerOf } = await loadPart(() => import('./power-runner.ts'));
  unwrap(await kernel.provide(terms, runnerOf({ name: terms.name, run })));
}

/** A definition without its author's types: only data crosses to the kernel. */
export function definitionOf(given: CapabilityDefinition): CapabilityDefinition {
  const { '~types': _, ...definition } = definedProperties<TypedDefinition<unknown, unknown>>(given);
  return definition;
}
