import { type Signal, signal } from '@preact/signals-core';
import type { CapabilityDefinition, ToolDefinition } from '../../../core/index.ts';
import type { CapabilityRow, Runtime } from '../../../workers/api.ts';
import { loadPart } from '../../../workers/load-part.ts';
import { shell } from '../../texts/en/shell.ts';
import { FORMS, stepIn } from '../demo/moves.ts';
import { FILES, HOME, namesOf, type PlaygroundScenario, type ScenarioShelf } from '../scenario.ts';
import type { ScenarioSource } from './source.ts';

export interface ShelfFacts {
  readonly runtime: Pick<Runtime, 'capabilities' | 'tools' | 'grants'>;
  /** The forms of the scenario that is there from the beginning. */
  readonly home: readonly PlaygroundScenario[];
  /** The forms of runs about the person's files. Their capabilities are registered with the files, and every run sees them. */
  readonly files?: readonly PlaygroundScenario[];
  /** Names of the capabilities that are registered now, of the scenarios and of the person. */
  names(): readonly string[];
  /** Called when capabilities were registered. */
  changed(): Promise<void>;
}

/** A run of one scenario sees no capability of another: `offer` leaves them out. */
export function openShelf({ runtime, home, files = [], names, changed }: ShelfFacts): ScenarioShelf {
  const opened: Signal<readonly PlaygroundScenario[]> = signal(home);
  const opening = new Map<string, Promise<readonly PlaygroundScenario[]>>();

  const openSource = async (source: ScenarioSource): Promise<readonly PlaygroundScenario[]> => {
    await register(runtime, source);
    await changed();
    const forms = formsOf(source);
    opened.value = [...opened.peek(), ...forms];
    return forms;
  };

  return {
    opened,
    open: async (id) => {
      if (id === HOME) return home;
      if (id === FILES) {
        opened.value = [...new Set([...opened.peek(), ...files])];
        return files;
      }
      const source = await loadScenario(id);
      if (source === undefined) return undefined;
      const forms = opening.get(id) ?? openSource(source);
      opening.set(id, forms);
      // another attempt may succeed, once a name is free
      forms.catch(() => opening.delete(id));
      return forms;
    },
    offer: (scenario) => {
      const { id, dialect } = scenario;
      const isFit = (name: string): boolean => dialect === 'catalytic' || !isOperation(name);
      const own = new Set(namesOf(scenario));
      if (id === FILES) {
        const read = [...own, ...scenario.grants.flatMap(({ capability = [] }) => capability)];
        const there = new Set(names());
        return [...new Set(read)].filter((name) => there.has(name) && isFit(name));
      }
      const all = opened.value.filter((each) => each.id !== FILES);
      if (all.length === home.length) return undefined;
      const others = new Set(all.filter((each) => each.id !== id).flatMap(namesOf));
      return names().filter((name) => own.has(name) || (!others.has(name) && isFit(name)));
    },
  };
}

/** Capabilities that scenarios share are registered once, with the grants of the first. */
async function register({ capabilities, tools, grants }: ShelfFacts['runtime'], source: ScenarioSource): Promise<void> {
  const there = new Map((await capabilities.list()).map((row) => [row.name, row]));
  const own = source.tools ?? [];
  const taken =
    source.capabilities.find((each) => !isSame(each, there.get(each.name))) ??
    own.find((each) => !isSameTool(each, there.get(each.name)));
  if (taken !== undefined) throw new Error(shell().nameTaken(taken.name));
  const missing = source.capabilities.filter(({ name }) => !there.has(name));
  for (const each of missing) await capabilities.register(each);
  const unprovided = own.filter(({ name }) => !there.has(name));
  for (const each of unprovided) await tools.provide(each);
  const added = new Set([...missing, ...unprovided].map(({ name }) => name));
  for (const name of added) await capabilities.enable(name);
  for (const grant of source.grants) if (added.has(grant.capability ?? '')) await grants.grant(grant);
}

/** Operations of a message are no calls. */
function isOperation(name: string): boolean {
  return name.startsWith('content.');
}

/** A free name counts as the same. */
function isSame(
  { version, source }: CapabilityDefinition,
  row: { version: string; source: string } | undefined,
): boolean {
  return row === undefined || (row.version === version && row.source === source);
}

/** A tool that was provided before the opening failed counts as the same. */
function isSameTool({ version, description }: ToolDefinition, row: CapabilityRow | undefined): boolean {
  return row === undefined || (row.host !== undefined && row.version === version && row.description === description);
}

/** The scenarios that are loaded when they are opened, in the order of their cards. The bakery is in the first load. */
const LOADERS: { readonly [id: string]: () => Promise<{ readonly SCENARIO: ScenarioSource }> } = {
  mail: () => loadPart(() => import('./mail/scenario.ts')),
  calendar: () => loadPart(() => import('./calendar/scenario.ts')),
  shop: () => loadPart(() => import('./shop/scenario.ts')),
  sheet: () => loadPart(() => import('./sheet/scenario.ts')),
  wiki: () => loadPart(() => import('./wiki/scenario.ts')),
  library: () => loadPart(() => import('./library/scenario.ts')),
};

export const SCENARIO_IDS: readonly string[] = Object.keys(LOADERS);

/** Undefined for an id that names no scenario of the gallery: a link is a stranger's text. */
export async function loadScenario(id: string): Promise<ScenarioSource | undefined> {
  const load = Object.hasOwn(LOADERS, id) ? LOADERS[id] : undefined;
  return load === undefined ? undefined : (await load()).SCENARIO;
}

/** The scenario in each dialect of calls, `xct` first: the same moves in another form. */
export function formsOf({ moves, ...scenario }: ScenarioSource): readonly PlaygroundScenario[] {
  return (['xct', 'femtoclaw'] as const).map((dialect) => {
    const steps = moves.map(stepIn(FORMS[dialect]));
    return { ...scenario, dialect, steps, script: steps.map(({ text }) => text), symbols: [] };
  });
}
