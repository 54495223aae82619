import { refuse } from '../errors/option.ts';
import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { isCount } from '../json/value.ts';
import { GRANT_LIMITS } from '../limits.ts';
import { LIST, type OptionTypes, optionFault, TEXT } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Subject } from './authorize.ts';
import { type Grant, makeGrant } from './policy.ts';

/** What a person says when a watch begins. */
export interface WatchOptions {
  /** Integer ms since epoch, at most 24 hours ahead: the watch ends there. */
  readonly until: number;
  readonly note?: string;
  /** Calls of effect `egress` run, too; absent: they ask. */
  readonly egress?: true;
  /** Names of the capabilities to watch; absent: all that are enabled, and all powers. */
  readonly capabilities?: readonly string[];
}

/**
 * A watch: for the definitions that were there when it began, calls without a grant run until it ends, and are recorded.
 * A grant, a denial and a question decide as without it.
 */
export interface Watch extends Omit<WatchOptions, 'capabilities'> {
  /** `grants.revoke` takes it: the watch ends. */
  readonly id: string;
  /** One for each definition. */
  readonly grants: readonly Grant[];
}

const HOURS = GRANT_LIMITS.watchMs / 3_600_000;
const OPTIONS: OptionTypes = {
  until: [`a time in ms since 1970, at most ${HOURS} hours ahead`, isCount],
  note: TEXT,
  egress: ['true', (value) => value === true],
  capabilities: LIST,
};

/** The options of a watch that begins at `now`, in ms since epoch. `option_invalid` */
export function checkWatch(given: object, now: number): Outcome<WatchOptions> {
  const fault = optionFault(given, OPTIONS, ['until']);
  if (fault !== undefined) return fault;
  const { until, note = '' } = given as WatchOptions;
  if (until <= now || until > now + GRANT_LIMITS.watchMs)
    return refuse('option_invalid', { name: 'until', wants: OPTIONS['until']?.[0] ?? '' });
  if (note.length > GRANT_LIMITS.watchNote)
    return refuse('option_invalid', { name: 'note', wants: `at most ${GRANT_LIMITS.watchNote} characters` });
  return pass(given as WatchOptions);
}

/** The watch of these definitions. */
export function makeWatch(subjects: readonly Subject[], { until, note, egress }: WatchOptions): Watch {
  const watch = { ...(note !== undefined && { note }), ...(egress && { egress }) };
  const grants = subjects.map((subject) => {
    const mode = subject.effect === 'egress' && !egress ? 'ask' : 'allow';
    return makeGrant(subject, { mode, expires: until, watch });
  });
  return { id: watchId({ watch, expires: until }) ?? '', until, ...watch, grants };
}

/** Id of the watch that a grant is part of. */
export function watchId({ watch, expires = 0 }: Pick<Grant, 'watch' | 'expires'>): string | undefined {
  return watch && structureHash('grant', canonicalText({ watch: { ...watch }, expires }));
}
