import type { ReadonlySignal } from '@preact/signals-core';
import type { CapabilityDefinition, Dialect, SymbolRow } from '../../core/index.ts';
import type { GrantOption, ToolDefinition } from '../../workers/api.ts';

/** The contents of the first screen: all that a run needs. No step runs by itself. */
export interface PlaygroundScenario {
  /** Lower case letters: a link and the first record of a run name the scenario by it. */
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly dialect: Dialect;
  /** The proposals, byte for byte, in the order the script makes them. */
  readonly script: readonly string[];
  /** A word on each of the script's texts, in the same order. */
  readonly steps: readonly { readonly caption: string }[];
  readonly capabilities: readonly CapabilityDefinition[];
  /** Tools that this page carries out: they are there while it is open. */
  readonly tools?: readonly ToolDefinition[];
  readonly grants: readonly GrantOption[];
  /** The papers the capabilities read, by path. */
  readonly files: { readonly [path: string]: string };
  /** The symbols that messages use; a section is named by its headings. */
  readonly symbols: readonly SymbolRow[];
}

/** The scenario that is there from the beginning. */
export const HOME = 'bakery';

/** The scenario of runs about the person's own files. */
export const FILES = 'files';

/** Names that the runs of a scenario call: of its capabilities and of its tools. */
export function namesOf({
  capabilities,
  tools = [],
}: Pick<PlaygroundScenario, 'capabilities' | 'tools'>): readonly string[] {
  return [...capabilities, ...tools].map(({ name }) => name);
}

/** The scenarios that were opened in this page, each in every dialect it has. */
export interface ScenarioShelf {
  /** The bakery's forms stand first. */
  readonly opened: ReadonlySignal<readonly PlaygroundScenario[]>;
  /**
   * Opens a scenario: its code is loaded, its capabilities are registered, its tools are provided, both are granted, and
   * no run begins. Resolves with its forms; undefined for an id of no scenario. Rejects where another capability has one
   * of its names.
   */
  open(id: string): Promise<readonly PlaygroundScenario[] | undefined>;
  /** Names of the capabilities for a run of this scenario; undefined for all that are registered. */
  offer(scenario: PlaygroundScenario): readonly string[] | undefined;
}
