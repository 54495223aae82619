import type { PowerCall } from './call.ts';

/**
 * Powers that the runtime itself carries out, by name. A capability declares the powers that it uses. The name of a
 * page's power may not begin with the first word of any of them: no page provides `store.list`.
 */
export const BUILT_IN_POWERS = [
  'clock',
  'log',
  'random',
  'store.get',
  'store.put',
  'sections.expand',
  'sections.search',
  'tools.call',
] as const;

export type BuiltInPower = (typeof BUILT_IN_POWERS)[number];
/** Built-in powers that read the run's content. */
export type ContentPower = Extract<BuiltInPower, `sections.${string}`>;
/** Built-in powers that the sandbox carries out by itself. */
export type SandboxPower = Exclude<BuiltInPower, ContentPower | 'tools.call'>;

/** Power by which a capability reads content, under the budgets of its step. */
export const EXPAND: Extract<ContentPower, 'sections.expand'> = 'sections.expand';
/** Power by which a capability finds out which sections there are to read. */
export const SEARCH: Extract<ContentPower, 'sections.search'> = 'sections.search';

export function isContentPower(name: string): name is ContentPower {
  return name === EXPAND || name === SEARCH;
}

/** True for a power that reads or changes what a capability keeps. */
export function isStorePower(name: string): boolean {
  return name === 'store.get' || name === 'store.put';
}

/** True for a built-in power that shows its guest data. */
export function isRead(name: string): boolean {
  return isContentPower(name) || name === 'store.get';
}

/**
 * True for a power call that ends its call at once, whatever its guest would do with the error: an expansion that failed,
 * and a search that was refused. No power and no content comes after it.
 *
 * @see Catalytic Chat Contract, Error Policy
 */
export function endsCall({ name, error }: Pick<PowerCall, 'name' | 'error'>): boolean {
  if (error === undefined) return false;
  return name === EXPAND || (name === SEARCH && error.details !== undefined);
}

/** Power by which a capability calls the tools that its definition names. Each call passes the gate of the tool. */
export const TOOLS_CALL: Extract<BuiltInPower, 'tools.call'> = 'tools.call';

/** Power by which a capability asks the quarantined model of the runtime, which the runtime provides like a page's power. */
export const QUARANTINE_ASK = 'quarantine.ask';

/** Built-in powers that need no data of the run. */
export const SANDBOX_POWERS: readonly SandboxPower[] = BUILT_IN_POWERS.filter(
  (name) => name !== EXPAND && name !== SEARCH && name !== TOOLS_CALL,
);
