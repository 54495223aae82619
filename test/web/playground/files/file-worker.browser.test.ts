import { expect, test } from 'vitest';
import { extend, formatExport, NO_RECORDS, parseExport, type RunHead } from '../../../../core/index.ts';
import { type ExportBlob, exportBlob, packedBytes } from '../../../../web/playground/files/export-blob.ts';
import { openFileWorker } from '../../../../web/playground/files/file-worker.ts';
import { recordsIn } from '../../../../web/records/steps.ts';
import WHOLE from '../../../vectors/exports/whole.jsonl?raw';

/** The steps of a vector again and again in one chain: a well-formed file of any length. */
function longRun(rounds: number): string {
  const { run_id = '', records: lines, payloads } = parseExport(WHOLE);
  const [first, ...rest] = recordsIn({ records: lines } as never);
  if (first === undefined) throw new Error('the vector has no record');
  let head: RunHead = NO_RECORDS;
  const texts = [first, ...Array.from({ length: rounds }, () => rest).flat()].map((record, at) => {
    const link = extend(head, record, { run_id, epoch: 1, at: record.at + at });
    head = { records: head.records + 1, head: link.record.hash };
    return link.text;
  });
  return formatExport(
    run_id,
    texts,
    [...payloads].map(([sha256, bytes]) => ({ sha256, bytes })),
  );
}

test("the page's thread goes on while a worker checks, falsifies, searches and packs a long run", async () => {
  const files = openFileWorker();
  const file = exportBlob(longRun(400));
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 1);
  const held: string[] = [];
  const goesOn = async <T>(what: string, work: Promise<T>): Promise<T> => {
    turns = 0;
    const made = await work;
    if (turns < 2) held.push(what);
    return made;
  };
  const report = await goesOn('checks', files.call('verify', [file, {}]));
  expect(report.checks.slice(0, 2).map(({ status }) => status)).toEqual(['pass', 'pass']);
  const copy = await goesOn('falsifying', files.call('falsified', [file, 'Change a decision', 0]));
  expect(copy?.facts.records).toBe(report.records);
  expect((await goesOn('search', files.call('find', [file, 'the']))).count).toBeGreaterThan(0);
  await goesOn('sizes', files.call('prepare', [file, ['plain']]));
  expect(
    (await goesOn('comparison', files.call('compare', [file, copy?.file as ExportBlob, false, 10])))?.pairs.length,
  ).toBe(1);
  clearInterval(ticking);
  expect(held).toEqual([]);
});

test('a call that is cancelled ends with its worker, and the calls behind it are answered', async () => {
  const files = openFileWorker();
  const ending = new AbortController();
  const long = files.call('verify', [exportBlob(longRun(400)), {}], { signal: ending.signal });
  const behind = files.call('open', [exportBlob(WHOLE)]);
  ending.abort();
  await expect(long).rejects.toMatchObject({ name: 'AbortError' });
  expect(await behind).toMatchObject({ kind: 'run' });
});

test('a saved page that unfolds too far is refused, and a damaged one holds no run', async () => {
  const files = openFileWorker();
  const page = (packed: Uint8Array): string =>
    `<!doctype html><script type="text/plain" id="export" data-packed="gzip">${btoa(String.fromCharCode(...packed))}</script>`;
  const bomb = await packedBytes('x'.repeat((64 << 20) + 1));
  expect(await files.call('open', [exportBlob(page(bomb))])).toEqual({ kind: 'tooLarge' });
  expect(await files.call('open', [exportBlob(page(new Uint8Array([31, 139, 8, 0])))])).toEqual({ kind: 'none' });
  const whole = await packedBytes(WHOLE);
  expect(await files.call('open', [exportBlob(page(whole))])).toMatchObject({ kind: 'run' });
});
