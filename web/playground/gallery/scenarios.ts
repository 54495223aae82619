import type { ScenarioSource } from './source.ts';

/** The scenarios that are loaded when they are opened, in the order of their cards. The bakery is in the first load. */
const LOADERS: { readonly [id: string]: () => Promise<{ readonly SCENARIO: ScenarioSource }> } = {
  mail: () => import('./mail/scenario.ts'),
  calendar: () => import('./calendar/scenario.ts'),
  shop: () => import('./shop/scenario.ts'),
  sheet: () => import('./sheet/scenario.ts'),
  wiki: () => import('./wiki/scenario.ts'),
};

export const SCENARIO_IDS: readonly string[] = Object.keys(LOADERS);

/** Undefined for an id that names no scenario of the gallery: a link is a stranger's text. */
export async function loadScenario(id: string): Promise<ScenarioSource | undefined> {
  const load = Object.hasOwn(LOADERS, id) ? LOADERS[id] : undefined;
  return load === undefined ? undefined : (await load()).SCENARIO;
}
