import type { AuthorTerms } from '../../../../core/capability/grant-terms.ts';
import type { Effect, Label } from '../../../../core/capability/guard.ts';
import type { CallerLimit, RunLimits } from '../../../../core/limits.ts';

/** Terms of a single tool in the configuration. */
export interface ConfiguredTool {
  readonly effect?: Effect;
  readonly labels?: readonly Label[];
  readonly enabled?: boolean;
}

/** A server in the configuration, with the values of the environment in place of `${NAME}`. */
export interface ConfiguredServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly prefix?: string;
  readonly effect?: Effect;
  readonly labels?: readonly Label[];
  readonly trustHints?: boolean;
  readonly timeoutMs?: number;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  readonly tools?: Readonly<Record<string, ConfiguredTool>>;
}

/** A grant in the configuration: `definition` is the hash of the definition that it was given for. */
export interface ConfiguredGrant extends AuthorTerms {
  readonly tool: string;
  readonly definition?: string;
}

/** What a person says that a definition does. It holds for this definition alone, and never below the server's hint. */
export interface DeclaredEffect {
  readonly tool: string;
  readonly effect: Effect;
  readonly definition: string;
}

/** The configuration of the gateway. */
export interface GatewayConfiguration {
  readonly mcpServers: Readonly<Record<string, ConfiguredServer>>;
  readonly grants: readonly ConfiguredGrant[];
  readonly effects: readonly DeclaredEffect[];
  readonly limits: Partial<Pick<RunLimits, CallerLimit>>;
  readonly guard: boolean;
}
