import { expect, test } from 'vitest';
import { draftFrame, encodeFrame, placeFrame } from '../../../../workers/store/journal/frame.ts';
import { type Batch, EMPTY_LOG, hashesOf, leavesOf, nextPending, placeBatch } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

/** The batches of a run as an own log, in sequence, each with the frame that was made of its draft. */
function framed(text: string): readonly { readonly batch: Batch; readonly frame: Uint8Array }[] {
  const { run_id, batches } = sampleRun(1, 4);
  let log = EMPTY_LOG;
  let run: Batch['after']['run'] | undefined;
  return batches.map((each) => {
    const append = { run_id, ...each };
    const made = valueOf(nextPending(run, append));
    const pending = { ...made, records: made.records.map((record) => record + text) };
    const draft = draftFrame(pending);
    const batch = placeBatch(pending, log, leavesOf(hashesOf(append)));
    ({ log, run } = batch.after);
    return { batch, frame: placeFrame(draft, batch.seq, log) };
  });
}

test.each([
  ['ASCII', ''],
  ['other signs', ' größer als 😀 "\\"'],
])('a draft with its place is the frame of its batch without payloads, with %s', (_title, text) => {
  for (const { batch, frame } of framed(text))
    expect(frame).toEqual(encodeFrame({ batch: { ...batch, payloads: [] }, tables: [] }));
});
