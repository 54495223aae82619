import type { AnsweredVia, Bodies, Draft, RecordKind, SignedYes } from '../../core/index.ts';
import type { IconName } from '../style/icons.ts';
import { amounts } from '../texts/en/amounts.ts';
import { englishRecords, type RecordTexts, records } from '../texts/en/records.ts';
import { handleOf } from './held.ts';
import { isToolCall } from './tool-call.ts';

export type RecordTone = 'plain' | 'good' | 'bad' | 'wait';

/** A record as a line of a list: icon, word and tone have the same meaning. */
interface RecordLine {
  readonly icon: IconName;
  readonly word: string;
  readonly summary: string;
  readonly tone: RecordTone;
}

/** Describes a record in a line, in the language of the interface, from its body alone, without payloads. */
export function describe(record: Draft): RecordLine {
  return lineOf(record, records());
}

/** The word of a record in English: a filter such as `status:denied` finds it on a page in any language. */
export function englishWord(record: Draft): string {
  return lineOf(record, englishRecords).word;
}

function lineOf(record: Draft, texts: RecordTexts): RecordLine {
  const say = LINES[record.kind] as (body: Draft['body'], texts: RecordTexts) => RecordLine;
  return say(record.body, texts);
}

/** True for a record at which a reader looking for trouble stops: a single record for each fault. */
export function isProblem(record: Draft): boolean {
  if (record.kind === 'observation') return false;
  if (record.kind === 'receipt') return LATE.has(record.body.evidence.reason?.class ?? '');
  return describe(record).tone === 'bad';
}

/** Classes that show first in the receipt: verdict and decision were both good. */
const LATE: ReadonlySet<string> = new Set(['budget', 'resolution', 'execution', 'output', 'storage']);

/** A summary with formatted numbers is made where it is read: of ten thousand records, a list draws thirty. */
function line(icon: IconName, word: string, summary: string | (() => string), tone: RecordTone = 'plain'): RecordLine {
  return typeof summary === 'string'
    ? { icon, word, summary, tone }
    : {
        icon,
        word,
        tone,
        get summary() {
          return summary();
        },
      };
}

const LINES: { readonly [K in RecordKind]: (body: Bodies[K], texts: RecordTexts) => RecordLine } = {
  configuration: (body, texts) => line('gear', texts.words.configured, `${body.dialect}, ${whoProposes(body, texts)}`),
  log: ({ event }, texts) => line('disk', texts.logWords[event], texts.log[event], event === 'lost' ? 'bad' : 'plain'),
  task: (body, { words }) => line('flag', words.task, () => size({ bytes: body.text.bytes })),
  proposal: (body, { words }) =>
    line('inbox', body.by === undefined ? words.received : words.edited, () => size(body.payload)),
  verdict: verdictLine,
  decision: decisionLine,
  approval: approvalLine,
  consent: consentLine,
  revocation: ({ revoked }, texts) => line('barrier', texts.words.revoked, revokedSummary(revoked, texts)),
  intent: (body, { words }) => line('play', words.starting, `${body.capability} (${body.effect})`),
  power: powerLine,
  parked: (_, texts) => line('pause', texts.words.parked, texts.keptUntilAnswer, 'wait'),
  progress: progressLine,
  content: ({ path, after }, { words }) => line('receipt', words.written, () => `${path}, ${size(after)}`),
  observation: ({ status, payload }, { words, status: told }) =>
    line('reply', words.replied, () => `${told[status]}, ${size(payload)}`, status === 'error' ? 'bad' : 'plain'),
  receipt: (body, texts) => line('receipt', texts.words.receipt, () => receiptSummary(body, texts)),
  state: stateLine,
  rejection: rejectionLine,
  seal: (body, texts) =>
    line('seal', texts.ends[body.state], () => sealSummary(body, texts), body.state === 'completed' ? 'good' : 'bad'),
};

function rejectionLine(body: Bodies['rejection'], { words, messages, sameAs }: RecordTexts): RecordLine {
  if (body.event === 'taken') return line('reply', words.outcomeTaken, sameAs(body.of.step_id.slice(0, 8)));
  if (body.event !== 'flood') return line('barrier', words.turnedAway, body.code, 'bad');
  return line('barrier', words.turnedAway, messages(body.counts.reduce((sum, { count }) => sum + count, 0)), 'bad');
}

function whoProposes({ caller, model, labels = [], undoes }: Bodies['configuration'], texts: RecordTexts): string {
  if (caller !== true) return model;
  return [
    undoes === undefined ? texts.session(model) : texts.undo(undoes.calls.length, undoes.run_id.slice(0, 8)),
    ...(labels.length === 0 ? [] : [texts.fromStart(labels.map((label) => texts.labels[label]))]),
  ].join(', ');
}

function verdictLine(body: Bodies['verdict'], texts: RecordTexts): RecordLine {
  const { words } = texts;
  if (body.refusal !== undefined)
    return line('cross', words.rejected, `${texts.at(body.refusal.step)}: ${body.refusal.code}`, 'bad');
  const what = {
    call: body.capability ?? texts.aCall,
    say: texts.aMessage,
    finish: texts.done,
    work: workText(body.operations),
  };
  return line('check', words.valid, what[body.kind ?? 'call'], 'good');
}

/** The request of a message: its intent and its operations. */
function workText(operations: Bodies['verdict']['operations'] = []): string {
  return operations.map(({ type, target }) => `${type} ${target}`).join(', ');
}

function decisionLine(body: Bodies['decision'], { words, why, watched }: RecordTexts): RecordLine {
  const what = body.watched ? watched(body.capability) : body.capability;
  if (body.decision === 'AUTHORIZED') return line('key', words.authorized, what, 'good');
  if (body.decision === 'REQUIRES_APPROVAL') {
    const asks = body.why === 'authorizer' ? words.asksAuthorizer : words.asksPerson;
    return line('hand', asks, why[body.why ?? 'grant'], 'wait');
  }
  return line('barrier', words.denied, `${body.capability}: ${body.code ?? body.decision}`, 'bad');
}

function progressLine(body: Bodies['progress'], { words, reads }: RecordTexts): RecordLine {
  if (body.event === 'reads') return line('receipt', words.read, reads(body.tickets.length));
  const { type, target, status } = body.action;
  return line('check', words.settled, `${type} ${target}`, status === 'FAILURE' ? 'bad' : 'good');
}

function revokedSummary(revoked: Bodies['revocation']['revoked'], texts: RecordTexts): string {
  return revoked
    .map(({ capability, grant }) => (grant === undefined ? texts.disabled(capability) : texts.grantOf(capability)))
    .join(', ');
}

function consentLine(body: Bodies['consent'], texts: RecordTexts): RecordLine {
  const { words } = texts;
  if (body.event === 'asked') return line('hand', words.consentAsked, texts.bytesTo(body.bytes, body.origin), 'wait');
  return body.approved === true
    ? line('check', words.consentGiven, `${body.origin}${viaOf(body, texts)}`, 'good')
    : line('barrier', words.consentRefused, `${body.origin}${viaOf(body, texts)}`, 'bad');
}

function approvalLine(body: Bodies['approval'], texts: RecordTexts): RecordLine {
  const { words } = texts;
  if (body.event === 'asked') return line('hand', words.waiting, texts.needsApproval(body.capability), 'wait');
  if (body.event === 'part')
    return line('check', words.signedPart, `${body.capability}${signedBy(body, texts)}`, 'wait');
  const { withChange, once, againInRun } = texts;
  const extent = body.grant === undefined ? once : againInRun;
  const what = `${body.capability}, ${body.instead === undefined ? extent : withChange}`;
  return body.approved
    ? line('check', words.approved, `${what}${signedBy(body, texts)}${viaOf(body, texts)}`, 'good')
    : line('barrier', words.saidNo, `${body.capability}${viaOf(body, texts)}`, 'bad');
}

function signedBy({ signed }: { readonly signed?: SignedYes }, texts: RecordTexts): string {
  return signed === undefined ? '' : `, ${texts.signedBy(signed.name)}`;
}

/** A person's own click is the usual case, so only a program's answer is mentioned. */
function viaOf({ via = 'gesture' }: { readonly via?: AnsweredVia }, texts: RecordTexts): string {
  const { answeredByProgram: program, answeredByAuthorizer: authorizer, answeredByNobody: nobody } = texts;
  const { answeredLater: later, approverFailed: failed } = texts;
  return via === 'gesture' ? '' : `, ${{ program, authorizer, nobody, later, failed }[via]}`;
}

function powerLine(body: Bodies['power'], { words, status: told }: RecordTexts): RecordLine {
  if (body.event === 'issued') return line('play', words.power, `${body.power} (${body.effect})`);
  const { power, status, answer } = body;
  const tone = status === 'error' ? 'bad' : 'plain';
  return line('reply', words.powerAnswered, () => `${power}: ${told[status]}, ${size(answer)}`, tone);
}

const STATUS_WORDS = { SUCCESS: 'success', FAILURE: 'failure', PARTIAL: 'partial' } as const;

function receiptSummary({ receipt, evidence }: Bodies['receipt'], texts: RecordTexts): string {
  const status = texts.status[STATUS_WORDS[receipt.status]];
  const { reason, fuel, declared_effects = [], powers = [] } = evidence;
  const held = heldWords(evidence, texts);
  const watched = new Set(powers.flatMap((each) => (each.watched ? [texts.watched(each.power)] : [])));
  const declared = [
    ...watched,
    ...declared_effects.map(({ capability, effect }) => texts.declared(capability, effect)),
  ];
  const again = evidence.repeated === undefined ? [] : [texts.sentAgain];
  if (reason !== undefined) return [status, reason.code, ...held, ...again, ...declared].join(', ');
  if (isToolCall(evidence)) return [status, texts.carriedOut, ...held, ...again, ...declared].join(', ');
  return [status, ...(fuel === undefined ? [] : [texts.fuel(fuel)]), ...held, ...declared].join(', ');
}

/** The handle that the model was told in the place of the outcome, or the bits of the value that it was told. */
function heldWords({ step, held }: Bodies['receipt']['evidence'], texts: RecordTexts): readonly string[] {
  if (held === undefined) return [];
  const { release, operation } = held;
  return [
    release ? texts.released(release.bits, release.drops !== undefined) : texts.heldAs(handleOf(step, operation)),
  ];
}

function stateLine(body: Bodies['state'], { words, cutOff, noAnswer }: RecordTexts): RecordLine {
  if (body.event === 'resumed') return line('play', words.resumed, '');
  if (body.event === 'interrupted') return line('cross', words.interrupted, cutOff, 'bad');
  return line('cross', words.modelFailed, noAnswer, 'bad');
}

function sealSummary(body: Bodies['seal'], texts: RecordTexts): string {
  const steps = texts.steps(body.steps);
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
  const all = amounts().bytes(bytes - salt);
  return kept === undefined ? all : records().firstKept(all, Math.max(0, kept - salt));
}
