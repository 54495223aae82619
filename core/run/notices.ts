import { EXPAND, SEARCH } from '../capability/built-in-power.ts';
import { isReading } from '../capability/hold.ts';
import { CONTENT_CAPABILITIES } from '../content/built-in.ts';
import { canonicalText } from '../json/canonical.ts';
import type { Draft } from '../ledger/record.ts';
import { takesNotes } from './authorize/revoke.ts';
import type { Payload } from './effect.ts';
import type { RunEvent } from './event.ts';
import { observeRefusal } from './observe.ts';
import { stepPayload, wirePayload } from './payload.ts';
import type { RunFacts, RunState } from './state.ts';
import { stay, type Transition } from './step.ts';

/** A hint to the developer of a run that continues. It affects no decision and no record. */
export interface Notice {
  readonly code: NoticeCode;
  /** The condition, and the action to take. */
  readonly message: string;
}

export type NoticeCode =
  /** The model is offered no capability: it can only speak. */
  | 'nothing_offered'
  /** No grant reaches an offered capability: every call will be refused. */
  | 'nothing_granted'
  /** `content.read` or `content.write` is granted, but no offered capability can use it in this dialect. */
  | 'content_not_offered'
  /** A question waits, and the program has neither an approver nor a watcher of the run. */
  | 'question_waits'
  /** The model gave no answer, and the run waits. */
  | 'model_failed'
  /** The model's answer was cut off at the limit of tokens. */
  | 'answer_cut_off'
  /** The model's server reports no tokens, so their limit has no effect. */
  | 'tokens_not_counted';

/**
 * Conditions that will keep the model of this run from acting. `granted` lists the names that the program has granted.
 */
export function noticesFor(
  { dialect, registry, policy }: Pick<RunFacts, 'dialect' | 'registry' | 'policy'>,
  granted: readonly string[],
): readonly Notice[] {
  const all = [...registry.capabilities.values()].filter(({ hash }) => policy.enabled.has(hash));
  // what is held is read after other calls
  const offered = all.filter((each) => !isReading(each));
  const reached = new Set(
    policy.grants.flatMap(({ mode, capability_hash }) => (mode === 'deny' ? [] : capability_hash)),
  );
  const names = offered.map(({ manifest: { name } }) => name);
  const operations = dialect === 'catalytic' ? [] : CONTENT_CAPABILITIES.map(({ manifest: { name } }) => name);
  const isRead = offered.some(({ manifest: { powers } }) => powers.some((name) => READING.has(name)));
  const unoffered = isRead ? [] : operations.filter((name) => granted.includes(name));
  const isReached = offered.some(({ hash }) => reached.has(hash));
  return [
    ...(unoffered.length === 0 ? [] : [contentNotOffered(unoffered)]),
    ...(names.length === 0 ? [NOTHING_OFFERED] : isReached ? [] : [nothingGranted(names)]),
  ];
}

/** Powers by which a capability reaches content in any dialect. */
const READING: ReadonlySet<string> = new Set([EXPAND, SEARCH]);

const NOTHING_OFFERED: Notice = {
  code: 'nothing_offered',
  message: 'The model is offered no capability, so it can only speak. Register one, enable it, and grant it.',
};

/** Maximum of capability names in a message. */
const NAMES_MAX = 8;

function nothingGranted(names: readonly string[]): Notice {
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  const message = `No grant reaches what the model is offered (${shown}${more}), so every call will be refused. Grant what it may call.`;
  return { code: 'nothing_granted', message };
}

function contentNotOffered(names: readonly string[]): Notice {
  const message = `The grant for ${names.join(' and ')} holds in the dialect catalytic only. For xct and femtoclaw register CORPUS_CAPABILITIES, and grant corpus.search and corpus.read, too.`;
  return { code: 'content_not_offered', message };
}

export const TOKENS_NOT_COUNTED: Notice = {
  code: 'tokens_not_counted',
  message:
    'The server of the model reports no tokens, so limits.tokens does not end this run. Set limits.steps instead.',
};

/** Notice about the answer to a single request. */
export function answerCutOff(step: number, answerTokens: number): Notice {
  const message = `The answer of step ${step} was cut off at ${answerTokens} tokens. Raise limits.answerTokens.`;
  return { code: 'answer_cut_off', message };
}

/** Records messages of a host that were turned away. They take no part in the run's decisions, and are no steps. */
export function noteRejection(state: RunState, event: Extract<RunEvent, { type: 'rejected' }>): Transition {
  if (!takesNotes(state)) return stay(state);
  const { drafts, payloads } = recordOf(state, event);
  return [{ ...state, pendingNotes: state.pendingNotes + 1 }, [{ type: 'note', drafts, payloads }]];
}

function recordOf(
  { facts }: RunState,
  { rejection, salt }: Extract<RunEvent, { type: 'rejected' }>,
): { readonly drafts: readonly Draft[]; readonly payloads: readonly Payload[] } {
  const { from } = rejection;
  if ('counts' in rejection) {
    const { counts } = rejection;
    return { drafts: [{ kind: 'rejection', body: { event: 'flood', from, counts } }], payloads: [] };
  }
  const salted = facts.registry.hasSecrets && salt !== undefined ? { salt } : {};
  const payload = rejection.bytes && wirePayload(rejection.bytes, facts.limits.proposalBytes, salted);
  if ('of' in rejection) {
    const body = { event: 'taken', from, ...(payload && { payload: payload.ref }), of: rejection.of } as const;
    return { drafts: [{ kind: 'rejection', body }], payloads: payload ? [payload] : [] };
  }
  const { refusal } = rejection;
  const told = stepPayload(salted, 'told', canonicalText(observeRefusal(refusal)));
  const body = {
    class: refusal.class,
    code: refusal.code,
    event: 'message',
    from,
    ...(payload && { payload: payload.ref }),
    told: told.ref,
  } as const;
  return { drafts: [{ kind: 'rejection', body }], payloads: payload ? [told, payload] : [told] };
}
