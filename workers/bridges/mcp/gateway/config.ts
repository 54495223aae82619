import { decode } from '../../../../core/json/decode.ts';
import { decodeUtf8 } from '../../../../core/json/utf8.ts';
import { isObject } from '../../../../core/json/value.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import { faultsOf } from './config-check.ts';
import { type Environment, keyFaults, keyWarnings, withKeys } from './config-keys.ts';
import { CONFIG_SCHEMA } from './config-schema.ts';
import type { ConfiguredServer, GatewayConfiguration } from './config-types.ts';
import { lineAt, placesOf } from './json-text.ts';

/** A fault of a configuration, with its place and with advice. */
export interface ConfigurationFault {
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  readonly message: string;
}

export type ReadConfiguration =
  | { readonly ok: true; readonly value: GatewayConfiguration; readonly warnings: readonly ConfigurationFault[] }
  | { readonly ok: false; readonly faults: readonly ConfigurationFault[] };

export const EMPTY_CONFIGURATION: GatewayConfiguration = {
  mcpServers: {},
  grants: [],
  effects: [],
  limits: {},
  guard: true,
};

/** Bound of a configuration file, in bytes. */
export const CONFIG_BYTES_MAX: number = 1 << 20;

/** Reads a configuration. Names every fault with its line, its pointer and advice. */
export function readConfiguration(bytes: Uint8Array, environment: Environment): ReadConfiguration {
  const decoded = decode(bytes, { bytes: CONFIG_BYTES_MAX });
  const text = decodeUtf8(bytes) ?? '';
  if (!decoded.ok) {
    const { message, pointer = '', details } = decoded.refusal;
    const { line = 1, column = 1 } = details as { line?: number; column?: number };
    return { ok: false, faults: [{ line, column, pointer, message }] };
  }
  const places = placesOf(text);
  const placed = ({ pointer, message }: { pointer: string; message: string }): ConfigurationFault => ({
    ...lineAt(text, places.get(pointer)?.start ?? 0),
    pointer: visibleLine(pointer),
    message: visibleLine(message),
  });
  const value = decoded.value;
  const faults = faultsOf(CONFIG_SCHEMA, value);
  if (faults.length > 0 || !isObject(value)) return { ok: false, faults: faults.map(placed) };
  const given = { ...EMPTY_CONFIGURATION, ...value } as unknown as GatewayConfiguration;
  const deep = [...serverFaults(given), ...keyFaults(given.mcpServers, environment)];
  if (deep.length > 0) return { ok: false, faults: deep.map(placed) };
  const warnings = [...keyWarnings(given.mcpServers)].map(placed);
  return { ok: true, value: { ...given, mcpServers: withKeys(given.mcpServers, environment) }, warnings };
}

/** Word before the names of a server's tools. */
export function prefixOf(name: string, { prefix }: Pick<ConfiguredServer, 'prefix'>): string {
  return prefix ?? name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 32);
}

/** A fault as a line for a person. */
export function faultText(path: string, { line, column, pointer, message }: ConfigurationFault): string {
  return `${path}:${line}:${column} ${pointer === '' ? '' : `${pointer}: `}${message}.`.replace(/\.\.$/u, '.');
}

/**
 * True for prefixes whose tools may get the same name: hosts take no point, so `notes` with `db_save` and `notes_db` with
 * `save` are both `notes_db_save` there.
 */
export function prefixesMeet(one: string, other: string): boolean {
  const [a, b] = [one, other].map((prefix) => `${/^[a-zA-Z_]/.test(prefix) ? '' : '_'}${prefix}_`);
  return a?.startsWith(b ?? '') === true || b?.startsWith(a ?? '') === true;
}

function* serverFaults({ mcpServers }: GatewayConfiguration): Iterable<{ pointer: string; message: string }> {
  const prefixes = new Map<string, string>();
  for (const [name, server] of Object.entries(mcpServers)) {
    const pointer = `/mcpServers/${name}`;
    if ((server.command === undefined) === (server.url === undefined))
      yield { pointer, message: 'Write either "command" or "url": a server is a child process or an address' };
    const prefix = prefixOf(name, server);
    const [taken, other] = [...prefixes].find(([each]) => prefixesMeet(each, prefix)) ?? [];
    if (taken !== undefined)
      yield {
        pointer,
        message: `The servers "${other}" and "${name}" have the prefixes "${taken}" and "${prefix}", so their tools could have the same names: give one a "prefix" of its own`,
      };
    prefixes.set(prefix, name);
  }
}
