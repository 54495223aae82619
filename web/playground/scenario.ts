import type { CapabilityDefinition, Dialect, SymbolRow } from '../../core/index.ts';
import type { GrantOption } from '../../workers/api.ts';

/** The contents of the first screen: all that a run needs. No step runs by itself. */
export interface PlaygroundScenario {
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
  /** The symbols that messages use; a section is named by its headings. */
  readonly symbols: readonly SymbolRow[];
}
