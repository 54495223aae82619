import { decodeUtf8, type LedgerRecord, type PayloadRef } from '../../core/index.ts';

/** A line for a reader without knowledge of records: wall clock in ms, and the event. */
export interface StoryLine {
  readonly at: number;
  readonly what: string;
}

type Find = (ref: PayloadRef) => Uint8Array | undefined;

/** Strangers' words, cut to the length of a line. */
const SHOWN = 280;

/** The tasks, each step with the gate that stopped it, the people's answers, and the end. */
export function storyOf(records: readonly LedgerRecord[], find: Find): readonly StoryLine[] {
  return records.flatMap((record) => {
    const what = told(record, find);
    return what === undefined ? [] : [{ at: record.at, what }];
  });
}

function told({ kind, body }: LedgerRecord, find: Find): string | undefined {
  const quoted = (ref: PayloadRef | undefined): string => {
    const bytes = ref && find(ref);
    const text = bytes && decodeUtf8(bytes);
    return text === undefined ? '(not in this file)' : `“${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}”`;
  };
  switch (kind) {
    case 'configuration':
      return `Began with the model ${body.model}, in the dialect ${body.dialect}`;
    case 'task':
      return `Task: ${quoted(body.text)}`;
    case 'verdict':
      if (body.refusal !== undefined)
        return `Step ${body.step}: refused at the gate ${body.refusal.step} (${body.refusal.code})`;
      return `Step ${body.step}: asked for ${body.capability ?? body.kind ?? 'nothing'}, and was valid`;
    case 'decision':
      return body.decision === 'AUTHORIZED' ? undefined : `Step ${body.step}: ${body.capability}: ${decided(body)}`;
    case 'approval':
      if (body.event === 'asked') return `Step ${body.step}: a person was asked about ${body.capability}`;
      return `Step ${body.step}: ${body.approved ? 'yes' : `no: ${quoted(body.reason)}`}`;
    case 'receipt': {
      const { receipt, evidence } = body;
      return `Step ${evidence.step}: ${receipt.status}${evidence.reason === undefined ? '' : ` (${evidence.reason.code})`}`;
    }
    case 'seal':
      return `Ended: ${body.state}${body.code === undefined ? '' : ` (${body.code})`}${body.message === undefined ? '' : `, ${quoted(body.message)}`}`;
    default:
      return undefined;
  }
}

function decided({ decision, code }: { readonly decision: string; readonly code?: string }): string {
  return decision === 'REQUIRES_APPROVAL' ? 'a person has to be asked' : `denied (${code ?? decision})`;
}
