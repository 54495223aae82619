import { AUTHOR_TERM_NAMES, picked } from '../../../../core/capability/grant-terms.ts';
import type { Effect } from '../../../../core/capability/guard.ts';
import type { Grant } from '../../../../core/capability/policy.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { AllowedBy } from '../../../../core/privilege/allowed.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { GrantOption } from '../../../api.ts';
import type { TokenAuth } from '../server/options.ts';
import type { ConfiguredGrant, GatewayConfiguration } from './config.ts';
import { prefixOf } from './config.ts';

const EFFECTS: readonly string[] = ['pure', 'read', 'write', 'egress'];

/** Words of `--allow` and `--deny`: effects, and names of tools. */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** A tool as the policy sees it. */
interface PolicySubject {
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
 * The grants of a tool. Every call asks, unless a grant of the configuration, `--allow` or a watch permits it. A grant of the
 * configuration that names another definition is void, a denial and the wish for a signed yes hold for every definition, and
 * a changed definition is denied.
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
    .filter(({ tool }) => tool === name)
    .flatMap((grant) => forDefinition(grant, definition))
    .map(({ tool: _, definition: __, ...terms }) => ({ capability, ...terms }));
  const allowed: readonly GrantOption[] = names(command.allow, subject) ? [{ capability, mode: 'allow' }] : [];
  return [...own, ...allowed, { capability, mode: 'ask', fallback: true }];
}

/** The grant as it holds for this definition; empty for one that is void. */
function forDefinition(grant: ConfiguredGrant, definition: string): readonly ConfiguredGrant[] {
  const { mode, signed, definition: of = definition } = grant;
  if (mode === 'deny' || of === definition) return [grant];
  // the page accepts another definition by a click, which takes no wish for a signature away
  return signed === undefined ? [] : [{ ...grant, mode: 'ask' }];
}

/** True for a tool whose calls want a signed yes: no click takes that away. */
export function wantsSigned({ grants }: Pick<GatewayConfiguration, 'grants'>, name: string): boolean {
  return grants.some(({ tool, signed }) => tool === name && signed !== undefined);
}

/** Why a click writes no grant for such a tool. */
export const SIGNED_ALONE: string =
  'the configuration wants a signed yes for this tool, which only whoever edits the file takes away.';

/** The grants with their persons as sessions are opened with them: by issuer and subject. */
export function withPrincipals(
  grants: readonly ConfiguredGrant[],
  auth: Pick<TokenAuth, 'issuer'> | undefined,
): readonly ConfiguredGrant[] {
  const named = (subject: string): string => `${auth?.issuer ?? ''} ${subject}`;
  return grants.map((grant) => (grant.for === undefined ? grant : { ...grant, for: grant.for.map(named) }));
}

/** Finds the entry of the configuration that a grant was made from. */
export function entryFinder<E extends ConfiguredGrant>(entries: readonly E[]): (grant: Grant) => E | undefined {
  // a grant has its persons as records name them
  const key = (tool: string, { for: persons, ...terms }: Partial<ConfiguredGrant>): string =>
    canonicalText({ tool, terms, persons: persons?.length ?? 0 } as never);
  const termsIn = (given: Grant | ConfiguredGrant) => picked<Partial<ConfiguredGrant>>(given, AUTHOR_TERM_NAMES);
  const known = new Map(
    entries.flatMap((entry) =>
      [entry, ...forDefinition(entry, '')].map((made) => [key(entry.tool, termsIn(made)), entry] as const),
    ),
  );
  return (grant) => known.get(key(grant.capability, termsIn(grant)));
}

/** Why a grant stands: by an entry, and one with its definition alone is an *Always*; else by the command line. */
export function reasonOf(entry: ConfiguredGrant | undefined): AllowedBy {
  if (entry === undefined) return 'program';
  const { tool: _, definition, ...terms } = entry;
  return definition !== undefined && canonicalText(terms as never) === ALWAYS ? 'always' : 'configuration';
}

const ALWAYS = canonicalText({ mode: 'allow' });

/** `read` names tools without effects too. */
function names(words: readonly string[], { name, effect }: PolicySubject): boolean {
  return words.includes(name) || words.includes(effect) || (effect === 'pure' && words.includes('read'));
}

/** Words of the command line that name neither an effect nor a tool. */
export function unknownWords({ allow, deny }: CommandPolicy, tools: readonly string[]): readonly string[] {
  return [...allow, ...deny].filter((word) => !EFFECTS.includes(word) && !tools.includes(word));
}

/**
 * Names in the configuration that belong to no tool now: they permit and change nothing. `isKnown` is false for a
 * prefix whose tools are unknown here, for example of another gateway's server.
 */
export function strayNames(
  { grants, effects, mcpServers }: Pick<GatewayConfiguration, 'grants' | 'effects' | 'mcpServers'>,
  tools: readonly string[],
  isKnown: (prefix: string) => boolean,
): readonly string[] {
  const has = (prefix = ''): boolean => tools.some((tool) => tool.startsWith(`${prefix}.`));
  const isStray = (tool: string): boolean => !tools.includes(tool) && isKnown(tool.split('.')[0] ?? '');
  const listed = (list: string, entries: readonly { readonly tool: string }[], result: string): readonly string[] =>
    entries.flatMap(({ tool }, at) =>
      isStray(tool)
        ? `/${list}/${at}: no tool has the name ${visibleLine(tool)} now, so ${result}${nearestText(tool, tools)}`
        : [],
    );
  const set = Object.entries(mcpServers).flatMap(([name, server]) => {
    const prefix = prefixOf(name, server);
    if (server.disabled === true || !has(prefix)) return [];
    const own = tools.flatMap((tool) => (tool.startsWith(`${prefix}.`) ? tool.slice(prefix.length + 1) : []));
    return Object.entries(server.tools ?? {}).flatMap(([tool, { enabled }]) =>
      enabled === false || own.includes(tool)
        ? []
        : `/mcpServers/${visibleLine(name)}/tools: the server has no tool ${visibleLine(tool)} now, so its terms are for none${nearestText(tool, own)}`,
    );
  });
  return [
    ...listed('grants', grants, 'the grant is for none'),
    ...listed('effects', effects, 'the entry is for none'),
    ...set,
  ];
}

/** Advice with the name that was probably meant. */
function nearestText(name: string, names: readonly string[]): string {
  const [nearest] = names
    .map((each) => ({ each, steps: stepsBetween(name.slice(0, 128), each.slice(0, 128)) }))
    .sort((one, other) => one.steps - other.steps);
  return nearest === undefined ? '' : `. The nearest name is ${visibleLine(nearest.each)}`;
}

/** Letters to add, to leave out or to replace until one word is the other. */
function stepsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (one[line - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
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
