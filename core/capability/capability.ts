import type { JsonObject } from '../json/value.ts';
import type { CallLimits } from '../limits.ts';
import type { Effect, Held, Label } from './guard.ts';

export type Secret = 'args' | 'result';

/** Terms of a tool that the embedding program carries out. */
export interface HostTerms {
  /** Place that the arguments go to, for example `mcp:https://api.example`. Absent: the program itself. */
  readonly origin?: string;
  /**
   * Hash of the definition, as its source gives it, that a person has declared the effect of. Absent: nobody has, and
   * the effect is the program's.
   */
  readonly declared?: string;
  /** The program can take its calls back: `true`, or where data tells how, the hash of that data. */
  readonly revert?: true | string;
  /** Hash of the definition whose calls this capability takes back. */
  readonly reverts?: string;
}

/** A capability as it is hashed: data and guest source, complete, without code for the host. */
export interface CapabilityManifest {
  /** `[A-Za-z0-9._-]`, at most 64; compared by code unit. */
  readonly name: string;
  /** MAJOR.MINOR.PATCH */
  readonly version: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly args: JsonObject;
  /** JSON Schema 2020-12 of the result; absent: any JSON. */
  readonly result?: JsonObject;
  readonly effect: Effect;
  /** Labels that the result adds to the context; `define` fills in the default of the effect. */
  readonly labels?: readonly Label[];
  /**
   * Parts that must not leave this device in telemetry or an export, not even as a hash that can be guessed. Lengths,
   * fuel and a call's outcome are not secret.
   */
  readonly secret?: readonly Secret[];
  /**
   * The results of its calls are held: the model hears a handle and never reads them. `private`, `untrusted`: where the
   * result can bring data with this label.
   */
  readonly held?: Held;
  /** False for a tool from which nothing that it was given comes back. */
  readonly echoes?: false;
  /** Names of the powers the source may use, sorted. */
  readonly powers: readonly string[];
  /** Names of the tools that the source may call through `powers.tools.call`, sorted. */
  readonly tools?: readonly string[];
  readonly limits: CallLimits;
  /** An ES module: `export default async function (args, powers) { … }`. Empty for a tool of the program. */
  readonly source: string;
  /** Present for a tool: the embedding program carries out the call, and no sandbox does. */
  readonly host?: HostTerms;
}

/** A registered capability. `hash` covers the whole manifest: a changed definition is another capability. */
export interface Capability {
  readonly hash: string;
  readonly manifest: CapabilityManifest;
  /** Hashes by which the validators of its schemas are found. */
  readonly schemas: { readonly args: string; readonly result?: string };
}
