import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { formatHtml, parseExport, verdictOf, verifyFile } from '../../../../core/index.ts';
import { exportBlob } from '../../../../web/playground/files/export-blob.ts';
import { openFileWork } from '../../../../web/playground/files/file-work.ts';
import { textOf } from '../../../../workers/auditor/handed-in.ts';

const WHOLE = readFileSync('test/vectors/exports/whole.jsonl');
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const packed = (bytes: Uint8Array): Buffer => Buffer.from(formatHtml(bytes, { script: 's', style: 's' }));
const page = (bytes: Uint8Array): Buffer => packed(gzipSync(bytes));

/** The export with a payload that no record names; its text is one character, in these bytes. */
function withPayload(bytes: readonly number[]): Buffer {
  const end = WHOLE.lastIndexOf('{"end"');
  const [before, after] = [`{"payload":{"sha256":"${'a'.repeat(64)}","text":"`, '"}}\n'];
  return Buffer.concat([
    WHOLE.subarray(0, end),
    Buffer.from(before),
    Buffer.from(bytes),
    Buffer.from(after),
    WHOLE.subarray(end),
  ]);
}

const FILES: { readonly [what: string]: Buffer } = {
  'an export': WHOLE,
  'a packed page': page(WHOLE),
  'an export behind a byte order mark': Buffer.concat([MARK, WHOLE]),
  'a page behind a byte order mark': Buffer.concat([MARK, page(WHOLE)]),
  'a packed export behind a byte order mark': page(Buffer.concat([MARK, WHOLE])),
  'an export with a byte that is not UTF-8': withPayload([0xff]),
  'a packed export with a byte that is not UTF-8': page(withPayload([0xff])),
  'an export with a replacement character': withPayload([0xef, 0xbf, 0xbd]),
  'a packed page in a packed page': page(page(WHOLE)),
  'a page whose packed bytes are cut': packed(gzipSync(WHOLE).subarray(0, -9)),
  'a page whose packed bytes go on': packed(Buffer.concat([gzipSync(WHOLE), MARK])),
  'a page whose packed bytes are none': packed(MARK),
};

test.each(Object.entries(FILES))('the command and Audit give the same verdict on %s', async (_, bytes) => {
  const command = verifyFile(parseExport(await textOf(bytes)));
  const work = openFileWork();
  const opened = await work.open(() => undefined, exportBlob(new Blob([bytes as Uint8Array<ArrayBuffer>])));
  if (opened.kind !== 'run') return expect([opened.kind, command.records]).toEqual(['none', 0]);
  const report = await work.verify(() => undefined, opened.file, {});
  expect(verdictOf(report)).toEqual(verdictOf(command));
  expect(report).toEqual(command);
});

test('a byte that is not UTF-8 is no replacement character, in a file and in a page', async () => {
  const faults = async (bytes: Buffer): Promise<number> => parseExport(await textOf(bytes)).faults.length;
  expect(await faults(withPayload([0xef, 0xbf, 0xbd]))).toBe(0);
  expect(await faults(withPayload([0xff]))).toBe(1);
  expect(await faults(page(withPayload([0xff])))).toBe(1);
});
