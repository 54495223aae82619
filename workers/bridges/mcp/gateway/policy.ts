import type { Effect } from '../../../../core/capability/guard.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { GrantOption } from '../../../api.ts';
import type { ConfiguredGrant, GatewayConfiguration } from './config.ts';
import { prefixOf } from './config.ts';

const EFFECTS: readonly string[] = ['pure', 'read', 'write', 'egress'];

/** Words of `--allow` and `--deny`: effects, and names of tools. */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** A tool as the policy sees it. */
export interface PolicySubject {
  readonly name: string;
  readonly effect: Effect;
  /** Hash of the server's definition. */
  readonly definition: string;
  /** Hash of its pin, which the definition differs from. */
  readonly pinned?: string;
}

/** True if a word of `--allow` is an effect: then the hints of servers without configured effects are believed. */
export function allowsEffect({ allow }: CommandPolicy): boolean {
  return allow.some((word) => EFFECTS.includes(word));
}

/**
 * The grants of a tool. Every call asks, unless a grant of the configuration or `--allow` permits it. A grant of the
 * configuration that names another definition is void, a denial holds for every definition, and a changed definition is
 * denied.
 */
export function grantsFor(
  subject: PolicySubject,
  configured: readonly ConfiguredGrant[],
  command: CommandPolicy,
): readonly GrantOption[] {
  const { name, definition, pinned } = subject;
  const capability = name;
  if (pinned !== undefined) return [{ capability, mode: 'deny', changed: { pinned, declared: definition } }];
  if (names(command.deny, subject)) return [{ capability, mode: 'deny' }];
  const own = configured
    .filter(({ tool, mode, definition: of }) => tool === name && (mode === 'deny' || (of ?? definition) === definition))
    .map(({ tool: _, definition: __, ...terms }) => ({ capability, ...terms }));
  const allowed: readonly GrantOption[] = names(command.allow, subject) ? [{ capability, mode: 'allow' }] : [];
  return [...own, ...allowed, { capability, mode: 'ask' }];
}

/** `read` names tools without effects too. */
function names(words: readonly string[], { name, effect }: PolicySubject): boolean {
  return words.includes(name) || words.includes(effect) || (effect === 'pure' && words.includes('read'));
}

/** Words of the command line that name neither an effect nor a tool. */
export function unknownWords({ allow, deny }: CommandPolicy, tools: readonly string[]): readonly string[] {
  return [...allow, ...deny].filter((word) => !EFFECTS.includes(word) && !tools.includes(word));
}

/**
 * Names in the configuration that belong to no tool now: they permit and change nothing. `isWhole` is false where other
 * gateways have further servers.
 */
export function strayNames(
  { grants, mcpServers }: Pick<GatewayConfiguration, 'grants' | 'mcpServers'>,
  tools: readonly string[],
  isWhole: boolean,
): readonly string[] {
  const has = (prefix = ''): boolean => tools.some((tool) => tool.startsWith(`${prefix}.`));
  const granted = grants.flatMap(({ tool }, at) =>
    tools.includes(tool) || (!isWhole && !has(tool.split('.')[0]))
      ? []
      : `/grants/${at}: no tool has the name ${visibleLine(tool)} now, so the grant is for none`,
  );
  const set = Object.entries(mcpServers).flatMap(([name, server]) => {
    const prefix = prefixOf(name, server);
    if (server.disabled === true || !has(prefix)) return [];
    return Object.entries(server.tools ?? {}).flatMap(([tool, { enabled }]) =>
      enabled === false || tools.includes(`${prefix}.${tool}`)
        ? []
        : `/mcpServers/${visibleLine(name)}/tools: the server has no tool ${visibleLine(tool)} now, so its terms are for none`,
    );
  });
  return [...granted, ...set];
}

const ALLOWED: { readonly [word: string]: string } = {
  pure: 'tools without effects run without a question',
  read: 'tools that only read run without a question',
  write: 'tools that change data run without a question, until the run has read untrusted data',
  egress: 'tools that send data out run without a question, until the run has read untrusted data',
};

/** What the command line permits and denies: a sentence for each word. */
export function sentencesOf({ allow, deny }: CommandPolicy): readonly string[] {
  return [
    ...allow.map(
      (word) => `--allow ${word}: ${ALLOWED[word] ?? `${word} runs without a question`}.${HINTS[word] ?? ''}`,
    ),
    ...deny.map(
      (word) => `--deny ${word}: ${EFFECTS.includes(word) ? `every tool of effect ${word}` : word} is refused.`,
    ),
    ...(allow.length === 0 ? ['Every call asks, except for the grants of the configuration.'] : []),
  ];
}

const HINT = ' Where the configuration gives a tool no effect, the hints of its server decide.';
const HINTS: { readonly [word: string]: string } = { pure: HINT, read: HINT, write: HINT, egress: HINT };
