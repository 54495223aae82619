import type { Capability } from '../../core/capability/capability.ts';
import { type CapabilityDefinition, define } from '../../core/capability/define.ts';
import { changingPower, makePower, makePowers, type Power, type PowerTerms } from '../../core/capability/power.ts';
import { CONTENT_CAPABILITIES } from '../../core/content/built-in.ts';
import { toolSymbol } from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { GrantOption } from '../api.ts';
import { makeSerialQueue } from '../async.ts';
import type { Ports } from '../ports.ts';
import { compileSubject, misuseRefusal, prepareSubject } from '../sandbox/prepare-schemas.ts';
import { isSourceFault } from '../sandbox/sandbox-memory.ts';

/** Says whether a symbol of this name is defined: a capability cannot take its name. */
export type IsSymbol = (symbol: string) => Promise<Outcome<boolean>>;

/** The capabilities and the page's powers, by name. The content capabilities are always registered. */
export class Definitions {
  readonly capabilities: Map<string, Capability> = new Map(
    CONTENT_CAPABILITIES.map((each) => [each.manifest.name, each]),
  );
  readonly powers: Map<string, Power> = new Map();
  readonly #ports: Pick<Ports, 'schemas' | 'sandbox'>;
  readonly #isSymbol: IsSymbol;
  readonly #inTurn = makeSerialQueue();

  constructor(ports: Pick<Ports, 'schemas' | 'sandbox'>, isSymbol: IsSymbol) {
    this.#ports = ports;
    this.#isSymbol = isSymbol;
  }

  /**
   * Adds a capability after its schemas were judged and its source has run once. Its validators and its image are made
   * for its first call. A tool has no source. Capabilities that are registered together are added in the order of the
   * calls.
   */
  async register(definition: CapabilityDefinition, isTool = false): Promise<Outcome<Capability>> {
    const defined = define(definition);
    if (!defined.ok) return defined;
    if ((defined.value.manifest.host !== undefined) !== isTool)
      return refuse('definition_invalid', { reason: 'a tool is provided with its function' }, { pointer: '/host' });
    const taken = this.#taken(defined.value.manifest.name);
    if (taken !== undefined) return taken;
    const unready = this.#unready(defined.value);
    unready.catch(() => undefined);
    return this.#inTurn(async () => (await unready) ?? this.#add(defined));
  }

  #add(defined: Outcome<Capability> & { readonly ok: true }): Outcome<Capability> {
    const { manifest } = defined.value;
    // Another registration may have taken the name while the schemas were judged.
    const late = this.#taken(manifest.name) ?? changingPower(manifest, [...this.powers.values()]);
    if (late !== undefined) return late;
    this.capabilities.set(manifest.name, defined.value);
    return defined;
  }

  #taken(name: string): Refused | undefined {
    return this.capabilities.has(name) ? refuse('capability_twice', { name }) : undefined;
  }

  /** Refusal of a capability whose schemas, symbol or source do not permit its registration. */
  async #unready(capability: Capability): Promise<Refused | undefined> {
    const { hash, manifest } = capability;
    const symbol = toolSymbol(manifest.name);
    const { schemas, sandbox } = this.#ports;
    const [prepared, named] = await Promise.all([prepareSubject(schemas, capability), this.#isSymbol(symbol)]);
    if (!prepared.ok) return prepared;
    if (!named.ok) return named;
    if (named.value) return refuse('symbol_twice', { symbol });
    if (manifest.host !== undefined) return undefined;
    return sandbox.check({ hash, ...manifest }).then(() => undefined, sourceRefused);
  }

  /** Adds a power, with its validators. No registered capability may understate the power's effect. */
  async provide(terms: PowerTerms): Promise<Outcome<Power>> {
    const made = makePower(terms);
    if (!made.ok) return made;
    const prepared = await prepareSubject(this.#ports.schemas, made.value);
    const compiled = prepared.ok ? await compileSubject(this.#ports.schemas, made.value) : prepared;
    if (!compiled.ok) return compiled;
    const all = makePowers([...this.powers.values(), made.value]);
    if (!all.ok) return all;
    for (const { manifest } of this.capabilities.values()) {
      const changing = changingPower(manifest, [made.value]);
      if (changing !== undefined) return changing;
    }
    this.powers.set(made.value.manifest.name, made.value);
    return made;
  }

  capability(name: string): Outcome<Capability> {
    const registered = this.capabilities.get(name);
    return registered === undefined ? refuse('unknown_capability', { name }) : pass(registered);
  }

  /** Subject of a grant: a capability or a power. A grant for a capability never covers a power of the same name. */
  subjectOf({ capability = '', power }: GrantOption): Outcome<Capability | Power> {
    if (power === undefined) return this.capability(capability);
    if (capability !== '') return refuse('option_invalid', { name: 'power' }, { pointer: '/power' });
    const provided = this.powers.get(power);
    return provided === undefined ? refuse('power_unknown', { name: power }) : pass(provided);
  }

  removePower(name: string): Outcome<Power> {
    const provided = this.powers.get(name);
    if (provided === undefined) return refuse('power_unknown', { name });
    this.powers.delete(name);
    return pass(provided);
  }

  /** Removes a capability; the content capabilities stay. */
  remove(name: string): Outcome<Capability> {
    const found = this.capability(name);
    if (!found.ok) return found;
    if (CONTENT_CAPABILITIES.includes(found.value)) return refuse('unknown_capability', { name });
    this.capabilities.delete(name);
    return found;
  }
}

/** Refusal of a source that cannot be loaded. It is the author's mistake, unless no sandbox was available. */
function sourceRefused(error: unknown): Refused {
  if (!isSourceFault(error)) return misuseRefusal(error);
  const { code: cause, message, line, column } = error;
  return refuse('source_refused', {
    cause,
    reason: message,
    ...(line !== undefined && column !== undefined && { line, column }),
  });
}
