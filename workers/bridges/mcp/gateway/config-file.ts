import type { YesSigner } from '../../../../core/approval/signer.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { decode } from '../../../../core/json/decode.ts';
import { decodeUtf8, encodeText } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../../core/json/value.ts';
import { changeFile, type FileStamp, readIfThere, stampOf, watchFrom } from './atomic-file.ts';
import {
  addToList,
  CONFIG_BYTES_MAX,
  type ConfiguredGrant,
  type DeclaredEffect,
  EMPTY_CONFIGURATION,
  type Environment,
  faultText,
  type GatewayConfiguration,
  type ReadConfiguration,
  readConfiguration,
  removeFromList,
} from './config.ts';

interface ConfigFileParts {
  readonly path: string;
  readonly environment: Environment;
  /** The command line names the file, so it has to be there. */
  readonly isNamed: boolean;
  /** Tells the person a line. */
  readonly say: (line: string) => void;
}

/** Text of a configuration that is not there yet. */
const NEW_FILE = '{}\n';

/** A fault of the configuration that ends the start. Each line names its place and advice. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** The configuration of a gateway, as its file says now. A broken new version leaves the old version in force. */
export class ConfigFile {
  readonly #parts: ConfigFileParts;
  #value: GatewayConfiguration = EMPTY_CONFIGURATION;
  #text = '';
  #stamp: FileStamp;
  #leave: () => void = () => undefined;

  constructor(parts: ConfigFileParts) {
    this.#parts = parts;
  }

  get path(): string {
    return this.#parts.path;
  }

  get value(): GatewayConfiguration {
    return this.#value;
  }

  /** The text of the file as it was taken last; empty where there is no file. */
  get text(): string {
    return this.#text;
  }

  /** Reads the file. Throws `ConfigurationError`. */
  load(): void {
    const { path, isNamed } = this.#parts;
    this.#stamp = stampOf(path);
    const bytes = this.#bytes();
    if (bytes === undefined) {
      if (isNamed) throw new ConfigurationError(`${path} does not exist. Create it, or name another file by --config`);
      return;
    }
    const read = readConfiguration(bytes, this.#parts.environment);
    if (!read.ok) throw new ConfigurationError(textOf(path, read));
    this.#take(bytes, read);
  }

  /** Calls the listener after each change of the file that can be taken. */
  watch(listener: () => void): void {
    this.#leave = watchFrom(this.#parts.path, this.#stamp, () => {
      if (this.#reload()) listener();
    });
  }

  /** Adds a grant, and what the person says that its tool does. Throws for a file that is broken now. */
  async add(grant: ConfiguredGrant, declared?: DeclaredEffect): Promise<void> {
    await this.#change((before) => {
      const granted = addToList(before, 'grants', grant);
      return declared === undefined ? granted : addToList(granted, 'effects', declared);
    });
  }

  /**
   * Puts grants in the place of the permissions and questions of a tool for this definition; denials stay. Throws where
   * the file has another text than `seen`.
   */
  async replaceGrants(
    tool: string,
    definition: string,
    grants: readonly ConfiguredGrant[],
    seen: string,
  ): Promise<void> {
    await this.#change((before, { grants: entries = [] }) => {
      if (before !== (seen === '' ? NEW_FILE : seen))
        throw new ConfigurationError(`${this.path} was changed meanwhile. Close this, and propose the rule anew`);
      const gone = (entries as readonly JsonObject[]).flatMap((entry, at) => {
        const isOwn = entry['tool'] === tool && entry['mode'] !== 'deny';
        return isOwn && (entry['definition'] ?? definition) === definition ? [at] : [];
      });
      const left = gone.reduceRight((text, at) => removeFromList(text, 'grants', at), before);
      return grants.reduce((text, grant) => addToList(text, 'grants', grant), left);
    });
  }

  /**
   * Removes every entry of a list that says this, and returns how many there were. Throws for a file that is broken
   * now.
   */
  async remove<L extends 'grants' | 'effects'>(list: L, entry: GatewayConfiguration[L][number]): Promise<number> {
    const wanted = canonicalText(entry as never);
    let removed = 0;
    await this.#change((before, { [list]: entries = [] }) => {
      const found = (entries as readonly JsonValue[]).flatMap((each, at) =>
        canonicalText(each) === wanted ? [at] : [],
      );
      removed = found.length;
      return found.reduceRight((text, at) => removeFromList(text, list, at), before);
    });
    return removed;
  }

  /**
   * Adds a passkey to every grant that names another of this person at this page. Throws for a file that is broken now, or
   * that has too many.
   */
  async addSigner(signer: YesSigner): Promise<void> {
    const { name, key, origin } = signer;
    await this.#change((before, value) => {
      const { grants: entries = [] } = value as unknown as Partial<GatewayConfiguration>;
      const found = entries.flatMap((entry, at) => {
        const { by = [] } = entry.signed ?? {};
        const isOf = by.some((each) => each.name === name && each.origin === origin);
        return isOf && by.every((each) => each.key !== key) ? [at] : [];
      });
      const left = found.reduceRight((text, at) => removeFromList(text, 'grants', at), before);
      return found.reduce((text, at) => {
        const { signed, ...terms } = entries[at] ?? {};
        return addToList(text, 'grants', { ...terms, signed: { ...signed, by: [...(signed?.by ?? []), signer] } });
      }, left);
    });
  }

  /** Changes the text of the file. Its other parts stay as they are. */
  async #change(change: (before: string, value: JsonObject) => string): Promise<void> {
    const { path, environment } = this.#parts;
    await changeFile(path, (bytes) => {
      const before = bytes === undefined ? NEW_FILE : (decodeUtf8(bytes) ?? '');
      const known = decode(encodeText(before), { bytes: CONFIG_BYTES_MAX });
      if (!known.ok || !isObject(known.value))
        throw new ConfigurationError(`${path} is no configuration: mend it first`);
      const next = change(before, known.value);
      const read = readConfiguration(encodeText(next), environment);
      if (!read.ok) throw new ConfigurationError(textOf(path, read));
      this.#take(encodeText(next), read);
      return next;
    });
  }

  close(): void {
    this.#leave();
  }

  #bytes(): Uint8Array | undefined {
    try {
      return readIfThere(this.#parts.path);
    } catch (error) {
      throw new ConfigurationError(`${this.#parts.path} cannot be read: ${(error as Error).message}`);
    }
  }

  #reload(): boolean {
    const { path, environment, say } = this.#parts;
    try {
      const bytes = this.#bytes();
      if (bytes === undefined && this.#text === '') return false;
      if (bytes === undefined) throw new ConfigurationError(`${path} does not exist any more`);
      if ((decodeUtf8(bytes) ?? '') === this.#text) return false;
      const read = readConfiguration(bytes, environment);
      if (!read.ok) throw new ConfigurationError(textOf(path, read));
      for (const name of ['guard', 'hold', 'auth', 'notify'] as const)
        if (!isSame(read.value[name], this.#value[name])) say(`"${name}" counts from the next start on`);
      this.#take(bytes, read);
      say(`The configuration ${path} is read again`);
      return true;
    } catch (error) {
      say(`The configuration stays as it was. ${(error as Error).message}`);
      return false;
    }
  }

  #take(bytes: Uint8Array, { value, warnings }: Extract<ReadConfiguration, { ok: true }>): void {
    this.#value = value;
    this.#text = decodeUtf8(bytes) ?? '';
    for (const warning of warnings) this.#parts.say(faultText(this.#parts.path, warning));
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalText([one ?? null] as never) === canonicalText([other ?? null] as never);
}

function textOf(path: string, { faults }: Extract<ReadConfiguration, { ok: false }>): string {
  return faults.map((fault) => faultText(path, fault)).join('\n');
}
