import { decodeUtf8, type LedgerRecord, type PayloadRef, tallyOf, tallyText, unsalted } from '../../core/index.ts';
import type { SavedPageTexts } from '../texts/en/saved-page.ts';
import { fill } from '../texts/fill.ts';

type StoryWords = SavedPageTexts['story'];

/** A line for a reader without knowledge of records: wall clock, and the event. */
export interface StoryLine {
  /** In UTC, to the second, for example `2026-01-02 13:04:05 UTC`. A time that no calendar has stays a number. */
  readonly time: string;
  readonly what: string;
}

type Find = (ref: PayloadRef) => Uint8Array | undefined;

/** The bytes that were said, without the salt that is stored before them. */
function textBehind(ref: PayloadRef, find: Find): Uint8Array | undefined {
  const bytes = find(ref);
  return bytes && unsalted(ref, bytes);
}

/** Strangers' words, cut to the length of a line. */
const SHOWN = 280;

/** The tasks, each step with the gate that stopped it, the people's answers, and the end. */
export function storyOf(words: StoryWords, records: readonly LedgerRecord[], find: Find): readonly StoryLine[] {
  return records.flatMap((record, place) => {
    const said = told(words, record, find);
    const { title } = words.tally;
    const what =
      record.kind === 'seal' ? `${said}. ${title}: ${tallyText(tallyOf(records, place + 1), words.tally)}` : said;
    return what === undefined ? [] : [{ time: timeText(record.at), what }];
  });
}

function timeText(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  return `${time.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
}

function told(words: StoryWords, { kind, body }: LedgerRecord, find: Find): string | undefined {
  const quoted = (ref: PayloadRef | undefined): string => quote(words, ref && textBehind(ref, find));
  switch (kind) {
    case 'configuration':
      return fill(words.began, { model: body.model, dialect: body.dialect });
    case 'task':
      return fill(words.task, { text: quoted(body.text) });
    case 'verdict': {
      const { step, refusal } = body;
      if (refusal !== undefined) return fill(words.refused, { step, gate: refusal.step, code: refusal.code });
      return fill(words.valid, { step, capability: body.capability ?? body.kind ?? words.nothing });
    }
    case 'decision': {
      const { step, capability, decision } = body;
      if (decision === 'AUTHORIZED') return body.watched ? fill(words.watched, { step, capability }) : undefined;
      const said = decision === 'REQUIRES_APPROVAL' ? words.mustAsk : words.denied;
      return fill(said, { step, capability, code: body.code ?? decision });
    }
    case 'approval': {
      const { step } = body;
      if (body.event === 'asked') return fill(words.asked, { step, capability: body.capability });
      if (body.event === 'part') return undefined;
      return body.approved ? fill(words.yes, { step }) : fill(words.no, { step, text: quoted(body.reason) });
    }
    case 'receipt': {
      const { step, reason } = body.evidence;
      const { status } = body.receipt;
      return reason === undefined
        ? fill(words.receipt, { step, status })
        : fill(words.receiptCode, { step, status, code: reason.code });
    }
    case 'seal': {
      const { state, code, message } = body;
      const ended = code === undefined ? fill(words.ended, { state }) : fill(words.endedCode, { state, code });
      return message === undefined ? ended : `${ended}, ${quoted(message)}`;
    }
    default:
      return undefined;
  }
}

function quote(words: StoryWords, bytes: Uint8Array | undefined): string {
  const text = bytes && decodeUtf8(bytes);
  if (text === undefined) return words.missing;
  return fill(words.quoted, { text: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text });
}
