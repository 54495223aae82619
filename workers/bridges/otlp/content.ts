import { decodeUtf8 } from '../../../core/json/utf8.ts';
import type { PayloadRef } from '../../../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { type Attributes, keyValues, type OtlpSpan } from '../../../core/telemetry/otlp-form.ts';
import type { EndedSpan } from '../../../core/telemetry/span.ts';
import type { ContentLedger } from './api.ts';

/** A text above this size is left out: collectors cut or refuse such attributes. */
const TEXT_BYTES_MAX = 65_536;

/**
 * The spans with the texts that the ledger holds: messages of a request, arguments and result of a call. Texts of secret
 * steps, erased texts and large texts are left out. Does not reject.
 */
export async function withContent(
  ended: readonly EndedSpan[],
  run_id: string,
  ledger: ContentLedger,
): Promise<readonly OtlpSpan[]> {
  if (ended.length === 0) return [];
  try {
    const records = await ledger.records(run_id);
    const textOf = reader(run_id, ledger);
    return await Promise.all(
      ended.map(async ({ of, step_id, span }) => {
        if (step_id === undefined) return span;
        const texts = await TEXTS[of](records, step_id, textOf);
        return { ...span, attributes: [...span.attributes, ...keyValues(texts)] };
      }),
    );
  } catch {
    // The ledger is closed, or the run was deleted.
    return ended.map(({ span }) => span);
  }
}

type TextReader = (ref: PayloadRef | undefined) => Promise<string | undefined>;

function reader(run_id: string, ledger: ContentLedger): TextReader {
  return async (ref) => {
    if (ref === undefined || ref.salt !== undefined || ref.bytes > TEXT_BYTES_MAX) return undefined;
    const bytes = await ledger.payload(run_id, ref);
    return bytes && decodeUtf8(bytes);
  };
}

interface Message {
  readonly role: 'user' | 'tool' | 'assistant';
  readonly text: string | undefined;
}

/** The texts since the answer before, which the request adds to the history, and the answer. */
async function messagesOf(records: readonly LedgerRecord[], step_id: string, textOf: TextReader): Promise<Attributes> {
  const at = records.findIndex((record) => record.kind === 'proposal' && record.body.step_id === step_id);
  const answer = records[at];
  if (answer?.kind !== 'proposal') return {};
  const since = records.slice(0, at).findLastIndex(({ kind }) => kind === 'proposal');
  const asked = await Promise.all(records.slice(since + 1, at).flatMap((record) => messageIn(record, textOf)));
  const said = await textOf(answer.body.payload);
  const [input, output] = [partsOf(asked), partsOf([{ role: 'assistant', text: said }])];
  const finish_reason = answer.body.finish ?? 'stop';
  return {
    ...(input.length > 0 && { 'gen_ai.input.messages': JSON.stringify(input) }),
    ...(output.length > 0 && {
      'gen_ai.output.messages': JSON.stringify(output.map((message) => ({ ...message, finish_reason }))),
    }),
  };
}

function messageIn(record: LedgerRecord, textOf: TextReader): readonly Promise<Message>[] {
  if (record.kind === 'task') return [textOf(record.body.text).then((text) => ({ role: 'user', text }))];
  if (record.kind === 'observation') return [textOf(record.body.payload).then((text) => ({ role: 'tool', text }))];
  return [];
}

/** Messages in the form of the conventions. */
function partsOf(messages: readonly Message[]) {
  return messages.flatMap(({ role, text }) =>
    text === undefined ? [] : [{ role, parts: [{ type: 'text', content: text }] }],
  );
}

/** Arguments and result of a step's only call. A message with several operations has no such pair. */
async function callOf(records: readonly LedgerRecord[], step_id: string, textOf: TextReader): Promise<Attributes> {
  const verdict = records.find((record) => record.kind === 'verdict' && record.body.step_id === step_id);
  const receipt = records.find((record) => record.kind === 'receipt' && record.body.receipt.step_id === step_id);
  if (verdict?.kind !== 'verdict' || receipt?.kind !== 'receipt') return {};
  const { result } = receipt.body.receipt.actions[0] ?? {};
  const isRef = result !== undefined && result !== null && typeof result === 'object' && 'sha256' in result;
  const args = await textOf(verdict.body.args);
  const made = verdict.body.args === undefined || !isRef ? undefined : await textOf(result as PayloadRef);
  return {
    ...(args !== undefined && { 'gen_ai.tool.call.arguments': args }),
    ...(made !== undefined && { 'gen_ai.tool.call.result': made }),
  };
}

const TEXTS: {
  readonly [O in EndedSpan['of']]: (
    records: readonly LedgerRecord[],
    step_id: string,
    textOf: TextReader,
  ) => Promise<Attributes>;
} = {
  chat: messagesOf,
  call: callOf,
  step: async () => ({}),
  turn: async () => ({}),
  power: async () => ({}),
};
