import type { Bodies, Draft, RecordKind } from '../../core/index.ts';
import type { IconName } from '../style/icons.ts';
import { isToolCall } from './tool-call.ts';

export type RecordTone = 'plain' | 'good' | 'bad' | 'wait';

/** A record as a line of a list: icon, word and tone have the same meaning. */
export interface RecordLine {
  readonly icon: IconName;
  readonly word: string;
  readonly summary: string;
  readonly tone: RecordTone;
}

/** Made once: a filter by a word describes ten thousand records at once. */
const numbers = new Intl.NumberFormat();

/** Describes a record in a line, from its body alone, without payloads. Computed once for each record. */
export function describe(record: Draft): RecordLine {
  const known = said.get(record);
  if (known !== undefined) return known;
  const say = LINES[record.kind] as (body: Draft['body']) => RecordLine;
  const made = say(record.body);
  said.set(record, made);
  return made;
}

/** A list of ten thousand is filtered with every letter that is typed. */
const said = new WeakMap<Draft, RecordLine>();

/** True for a record at which a reader looking for trouble stops: a single record for each fault. */
export function isProblem(record: Draft): boolean {
  if (record.kind === 'observation') return false;
  if (record.kind === 'receipt') return LATE.has(record.body.evidence.reason?.class ?? '');
  return describe(record).tone === 'bad';
}

/** Classes that show first in the receipt: verdict and decision were both good. */
const LATE: ReadonlySet<string> = new Set(['budget', 'resolution', 'execution', 'output', 'storage']);

function line(icon: IconName, word: string, summary: string, tone: RecordTone = 'plain'): RecordLine {
  return { icon, word, summary, tone };
}

const LOG_WORDS: { readonly [E in Bodies['log']['event']]: string } = {
  lost: 'the browser lost the log; a new epoch begins',
  restored: 'the browser lost the log; every record was restored',
  archived: 'a run was archived',
  deleted: 'a run was deleted',
  erased: 'bytes were erased',
  undone: 'the changes of a step were taken back',
};

const LINES: { readonly [K in RecordKind]: (body: Bodies[K]) => RecordLine } = {
  configuration: (body) => line('gear', 'configured', `${body.dialect}, ${whoProposes(body)}`),
  log: (body) => line('disk', body.event, LOG_WORDS[body.event], body.event === 'lost' ? 'bad' : 'plain'),
  task: (body) => line('flag', 'task', `${body.text.bytes} bytes`),
  proposal: (body) => line('inbox', 'received', size(body.payload)),
  verdict: verdictLine,
  decision: decisionLine,
  approval: approvalLine,
  consent: consentLine,
  revocation: ({ revoked }) => line('barrier', 'revoked', revokedSummary(revoked)),
  intent: (body) => line('play', 'starting', `${body.capability} (${body.effect})`),
  power: powerLine,
  parked: () => line('pause', 'parked', 'kept until its power answers', 'wait'),
  content: ({ path, after }) => line('receipt', 'written', `${path}, ${size(after)}`),
  observation: ({ status, payload }) =>
    line('reply', 'replied', `${status}, ${size(payload)}`, status === 'error' ? 'bad' : 'plain'),
  receipt: (body) => line('receipt', 'receipt', receiptSummary(body)),
  state: stateLine,
  seal: (body) => line('seal', body.state, sealSummary(body), body.state === 'completed' ? 'good' : 'bad'),
};

function whoProposes({ caller, model, labels = [] }: Bodies['configuration']): string {
  if (caller !== true) return model;
  return `session of ${model}${labels.length === 0 ? '' : `, ${labels.join(' and ')} from the start`}`;
}

function verdictLine(body: Bodies['verdict']): RecordLine {
  if (body.refusal !== undefined)
    return line('cross', 'rejected', `at ${body.refusal.step}: ${body.refusal.code}`, 'bad');
  const what = { call: body.capability ?? 'a call', say: 'a message', finish: 'done', work: workText(body.operations) };
  return line('check', 'valid', what[body.kind ?? 'call'], 'good');
}

/** The request of a message: its intent and its operations. */
function workText(operations: Bodies['verdict']['operations'] = []): string {
  return operations.map(({ type, target }) => `${type} ${target}`).join(', ');
}

function decisionLine(body: Bodies['decision']): RecordLine {
  if (body.decision === 'AUTHORIZED') return line('key', 'authorized', body.capability, 'good');
  if (body.decision === 'REQUIRES_APPROVAL') {
    const whom = body.why === 'authorizer' ? 'the authorizer' : 'a person';
    return line('hand', `asks ${whom}`, WHY[body.why ?? 'grant'], 'wait');
  }
  return line('barrier', 'denied', `${body.capability}: ${body.code ?? body.decision}`, 'bad');
}

type Why = NonNullable<Bodies['decision']['why']>;

/** Why a person is asked, as the guard or the grant says it. */
const WHY: { readonly [W in Why]: string } = {
  grant: 'the grant says to ask',
  untrusted: 'the model has read untrusted data',
  private_and_untrusted: 'the model has read private and untrusted data',
  authorizer: 'its rules have to permit it, too',
};

function revokedSummary(revoked: Bodies['revocation']['revoked']): string {
  return revoked
    .map(({ capability, grant }) => (grant === undefined ? `${capability} is disabled` : `a grant of ${capability}`))
    .join(', ');
}

function consentLine(body: Bodies['consent']): RecordLine {
  if (body.event === 'asked')
    return line('hand', 'consent asked', `${numbers.format(body.bytes)} to ${body.origin}`, 'wait');
  return body.approved === true
    ? line('check', 'consent given', `${body.origin}${viaOf(body)}`, 'good')
    : line('barrier', 'consent refused', `${body.origin}${viaOf(body)}`, 'bad');
}

function approvalLine(body: Bodies['approval']): RecordLine {
  if (body.event === 'asked') return line('hand', 'waiting', `${body.capability} needs approval`, 'wait');
  const what = `${body.capability}, ${body.grant === undefined ? 'once' : 'and again in this run'}`;
  return body.approved
    ? line('check', 'approved', `${what}${viaOf(body)}`, 'good')
    : line('barrier', 'said no', `${body.capability}${viaOf(body)}`, 'bad');
}

/** A person's own click is the usual case, so only a program's answer is mentioned. */
function viaOf({ via }: { readonly via?: string }): string {
  if (via === undefined || via === 'gesture') return '';
  return `, answered by ${via === 'program' ? 'a program' : 'the authorizer'}`;
}

function powerLine(body: Bodies['power']): RecordLine {
  if (body.event === 'issued') return line('play', 'power', `${body.power} (${body.effect})`);
  const { power, status, answer } = body;
  return line('reply', 'power answered', `${power}: ${status}, ${size(answer)}`, status === 'error' ? 'bad' : 'plain');
}

function receiptSummary({ receipt, evidence }: Bodies['receipt']): string {
  const status = receipt.status.toLowerCase();
  if (evidence.reason !== undefined) return `${status}, ${evidence.reason.code}`;
  if (isToolCall(evidence)) return `${status}, carried out by the program`;
  return evidence.fuel === undefined ? status : `${status}, ${numbers.format(evidence.fuel)} fuel`;
}

function stateLine(body: Bodies['state']): RecordLine {
  if (body.event === 'paused') return line('pause', 'paused', '');
  if (body.event === 'resumed') return line('play', 'resumed', '');
  if (body.event === 'interrupted') return line('cross', 'interrupted', 'cut off; the outcome is unknown', 'bad');
  return line('cross', 'model failed', 'the model did not answer', 'bad');
}

function sealSummary(body: Bodies['seal']): string {
  const steps = `${body.steps} ${body.steps === 1 ? 'step' : 'steps'}`;
  return body.code === undefined ? steps : `${steps}, ${body.code}`;
}

function size({
  bytes,
  kept,
  salt = 0,
}: {
  readonly bytes: number;
  readonly kept?: number;
  readonly salt?: number;
}): string {
  const all = `${numbers.format(bytes - salt)} bytes`;
  return kept === undefined ? all : `${all}, the first ${numbers.format(kept - salt)} kept`;
}
