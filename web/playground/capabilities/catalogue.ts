import { batch, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Grant } from '../../../core/index.ts';
import type { CapabilityDefinition, CapabilityRow, GrantOption, Runtime } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { rules } from '../../texts/en/rules.ts';
import { shell } from '../../texts/en/shell.ts';
import { termsOf } from '../parts/grant-terms.ts';
import { PageError } from '../parts/page-error.ts';
import type { OwnCapabilities } from './own-capabilities.ts';

/** The capabilities and grants for the runs that start from now on. */
export interface CatalogueState {
  readonly rows: ReadonlySignal<readonly CapabilityRow[] | undefined>;
  readonly grants: ReadonlySignal<readonly Grant[]>;
  /** Standing answers of the runs under way: they permit nothing in a new run, and are never granted again. */
  readonly standing: ReadonlySignal<readonly Grant[]>;
  /** Definitions that a person added on this device, by name. */
  readonly added: ReadonlySignal<ReadonlyMap<string, CapabilityDefinition>>;
  /** Definitions that another one of their name has replaced since the page was opened. */
  readonly replaced: ReadonlySignal<ReadonlyMap<string, ReplacedCapability>>;
  refresh(): Promise<void>;
  /**
   * Adds a definition without any permission. It replaces a definition that was added here under the same name, with
   * its grants; `bringBack` undoes that.
   */
  add(definition: CapabilityDefinition): Promise<void>;
  /** Puts the replaced definition in the place of the present one, with the grants that it had. */
  bringBack(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  turn(name: string, on: boolean): Promise<void>;
  /** Grants and enables the capability: a grant of a disabled capability permits nothing. */
  grant(option: GrantOption & { readonly capability: string }): Promise<void>;
  /** Grants a capability that has no grant, so that each call asks a person, and enables it. */
  grantFirst(capability: string): Promise<void>;
  /** Hash of the definition that `grantFirst` granted last. */
  readonly first: ReadonlySignal<string | undefined>;
  /** Gives a grant that was taken back again. A definition that has changed meanwhile is not granted. */
  giveAgain(grant: Grant): Promise<void>;
  /** Puts these grants in the place of the permissions of a definition. Denials stay. */
  narrow(hash: string, options: readonly (GrantOption & { readonly capability: string })[]): Promise<void>;
  /** Lets calls of a capability run until then where no grant of it speaks. */
  watch(name: string, until: number, egress: boolean): Promise<void>;
  revoke(id: string): Promise<void>;
  /** Deletes the definitions that this device keeps; those of the open page stay until it is closed. */
  deleteStored(): Promise<void>;
}

/** A definition that is no longer registered, and the permissions it had. */
export interface ReplacedCapability {
  readonly definition: CapabilityDefinition;
  readonly grants: readonly Grant[];
  readonly enabled: boolean;
}

export interface CatalogueFacts {
  readonly runtime: Runtime;
  /** Definitions outlive the page; permissions do not, so a returning person is asked again. */
  readonly own: OwnCapabilities;
  /** Called when a new run would start with other grants, or without a capability. */
  readonly onChange: () => void;
  /** Called when a new run would start with a further capability, which nothing permits yet. */
  readonly onAddition: () => void;
  /** Tells the person a sentence. */
  readonly tell: (trouble: string) => void;
}

export function openCatalogue({ runtime, own, onChange, onAddition, tell }: CatalogueFacts): CatalogueState {
  const rows = signal<readonly CapabilityRow[] | undefined>(undefined);
  const grants = signal<readonly Grant[]>([]);
  const standing = signal<readonly Grant[]>([]);
  const added = signal<ReadonlyMap<string, CapabilityDefinition>>(new Map());

  const first = signal<string | undefined>(undefined);
  const replaced = signal<ReadonlyMap<string, ReplacedCapability>>(new Map());

  async function refresh(): Promise<void> {
    const [listed, given] = await Promise.all([runtime.capabilities.list(), runtime.grants.list()]);
    batch(() => {
      rows.value = listed;
      grants.value = given.filter(({ parent }) => parent === undefined);
      standing.value = given.filter(({ parent }) => parent !== undefined);
    });
  }

  async function change(act: () => Promise<unknown>): Promise<void> {
    await act();
    await refresh();
    onChange();
  }

  /** Stores a change of the person. The capability is registered already, so the person is told of a failure. */
  async function store(name: string, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => tell(shell().ownNotStored(name, sentenceOf(error))));
  }

  const swap = async (definition: CapabilityDefinition): Promise<void> => {
    const { name } = definition;
    const before = await registeredAs(name);
    if (added.peek().has(name)) await runtime.capabilities.remove(name);
    await runtime.capabilities.register(definition);
    added.value = new Map(added.peek()).set(name, definition);
    await store(name, () => own.put(definition));
    replaced.value = new Map([...replaced.peek(), ...(before === undefined ? [] : [[name, before] as const])]);
  };
  const add = async (definition: CapabilityDefinition): Promise<void> => {
    const isFurther = rows.peek()?.every(({ name }) => name !== definition.name) ?? false;
    await swap(definition);
    await refresh();
    if (isFurther) onAddition();
    else onChange();
  };

  /** The definition that a person has added under this name, with its permissions. */
  async function registeredAs(name: string): Promise<ReplacedCapability | undefined> {
    const definition = added.peek().get(name);
    const row = (await runtime.capabilities.list()).find((each) => each.name === name);
    if (definition === undefined || row === undefined) return undefined;
    const given = await runtime.grants.list();
    const own = given.filter((grant) => grant.capability_hash === row.hash && grant.parent === undefined);
    return { definition, grants: own, enabled: row.enabled };
  }

  const bringBack = (name: string): Promise<void> =>
    change(async () => {
      const back = replaced.peek().get(name);
      if (back === undefined) return;
      await swap(back.definition);
      for (const grant of back.grants) await runtime.grants.grant({ capability: name, ...termsOf(grant) });
      await (back.enabled ? runtime.capabilities.enable(name) : runtime.capabilities.disable(name));
    });

  /**
   * Registers the stored definitions, and writes none: a page that is left meanwhile has lost nothing. A definition that
   * can no longer be loaded stays stored, and the person is told.
   */
  async function restore(): Promise<void> {
    const failed: string[] = [];
    const stored = await own.all().catch((error: unknown) => {
      reportError(error);
      return [];
    });
    for (const definition of stored) {
      if (added.peek().has(definition.name)) continue;
      try {
        await runtime.capabilities.register(definition);
        added.value = new Map(added.peek()).set(definition.name, definition);
      } catch (error) {
        failed.push(definition.name);
        reportError(error);
      }
    }
    await refresh();
    if (failed.length > 0) tell(shell().ownNotLoaded(failed));
  }
  void restore().catch(reportError);

  return {
    rows,
    grants,
    standing,
    added,
    replaced,
    refresh,
    add,
    bringBack,
    remove: (name) =>
      change(async () => {
        await runtime.capabilities.remove(name);
        added.value = new Map([...added.peek()].filter(([each]) => each !== name));
        await store(name, () => own.remove(name));
      }),
    turn: (name, on) => change(() => (on ? runtime.capabilities.enable(name) : runtime.capabilities.disable(name))),
    grant: (option) =>
      change(async () => {
        await runtime.grants.grant(option);
        await runtime.capabilities.enable(option.capability);
      }),
    first,
    grantFirst: (capability) =>
      change(async () => {
        const { hash } = (await runtime.capabilities.list()).find(({ name }) => name === capability) ?? {};
        const isGranted = grants.peek().some(({ capability_hash }) => capability_hash === hash);
        if (!isGranted) await runtime.grants.grant({ capability, mode: 'ask' });
        await runtime.capabilities.enable(capability);
        first.value = isGranted ? undefined : hash;
      }),
    giveAgain: (grant) =>
      change(async () => {
        const { id, capability_hash } = await runtime.grants.grant({
          capability: grant.capability,
          ...termsOf(grant),
        });
        if (capability_hash === grant.capability_hash) return;
        await runtime.grants.revoke(id);
        throw new PageError(() => capabilities().allowed.changed);
      }),
    narrow: (hash, options) =>
      change(async () => {
        const before = await runtime.grants.list();
        const made = new Set<string>();
        for (const option of options) {
          const { id, capability_hash } = await runtime.grants.grant(option);
          made.add(id);
          if (capability_hash === hash) continue;
          await runtime.grants.revoke(id);
          throw new PageError(() => rules().changed);
        }
        const wider = before.filter(
          ({ id, capability_hash, mode, parent, watch }) =>
            capability_hash === hash && mode !== 'deny' && parent === undefined && watch === undefined && !made.has(id),
        );
        for (const { id } of wider) await runtime.grants.revoke(id);
      }),
    watch: (name, until, egress) =>
      change(async () => {
        await runtime.capabilities.enable(name);
        await runtime.grants.watch({ until, capabilities: [name], ...(egress && { egress }) });
      }),
    revoke: (id) => change(() => runtime.grants.revoke(id)),
    deleteStored: own.removeAll,
  };
}
