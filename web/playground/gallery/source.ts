import type { CapabilityDefinition, GrantOption, ToolDefinition } from '../../../workers/api.ts';
import type { ScriptedMove } from '../demo/moves.ts';

/** A scenario of the gallery as it is written: its proposals are moves, and a dialect gives them their form. */
export interface ScenarioSource {
  /** Lower case letters: a link and the first record of a run name the scenario by it. */
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly capabilities: readonly CapabilityDefinition[];
  /** Tools that this page carries out: they are there while it is open. */
  readonly tools?: readonly ToolDefinition[];
  readonly grants: readonly GrantOption[];
  /** The papers that the capabilities read, by path. */
  readonly files: { readonly [path: string]: string };
  readonly moves: readonly ScriptedMove[];
}
