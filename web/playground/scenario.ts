import type { CapabilityDefinition, Dialect, SymbolRow } from '../../core/index.ts';
import type { GrantOption } from '../../workers/api.ts';

/** What the first screen loads: everything a run needs, and nothing that runs by itself. */
export interface Scenario {
  readonly name: string;
  readonly task: string;
  readonly dialect: Dialect;
  /** The proposals, byte for byte, in the order the script makes them. */
  readonly script: readonly string[];
  /** A word on each of the script's texts, in the same order. */
  readonly steps: readonly { readonly caption: string }[];
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  /** The papers the capabilities read, by path. */
  readonly files: { readonly [path: string]: string };
  /** What messages call them; a section is named by its headings. */
  readonly symbols: readonly SymbolRow[];
}
