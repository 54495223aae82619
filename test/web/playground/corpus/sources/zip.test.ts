import { BlobWriter, configure, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';
import { expect, test } from 'vitest';
import { checkPath } from '../../../../../core/content/section.ts';
import { fromZip, type ZipLimits } from '../../../../../web/playground/corpus/sources/folder.ts';
import { type LeftFile, readAll } from '../../../../../web/playground/corpus/sources/source.ts';

const LIMITS: ZipLimits = { files: 4, fileBytes: 1000, bytes: 2500 };
const { signal } = new AbortController();

async function zipOf(files: { readonly [path: string]: string }): Promise<File> {
  configure({ useWebWorkers: false });
  const writer = new ZipWriter(new BlobWriter());
  for (const [path, text] of Object.entries(files)) await writer.add(path, new TextReader(text));
  return new File([await writer.close()], 'a.zip');
}

/** Paths that were unpacked, the files that were left out, and the code or message of the error that stopped it. */
async function unpack(file: File): Promise<{ read: string[]; left?: string[]; stopped?: string }> {
  const read: string[] = [];
  const left: string[] = [];
  try {
    const entries = await fromZip(file, LIMITS).list(signal);
    const leave = ({ path, why }: LeftFile): void => void left.push(`${path}: ${why()}`);
    for await (const { path } of readAll(entries, signal, leave)) read.push(path);
    return { read, ...(left.length > 0 && { left }) };
  } catch (error) {
    return { read, stopped: (error as { code?: string }).code ?? String(error) };
  }
}

const bytes = (size: number): string => 'x'.repeat(size);

test('a zip of as many bytes as the limit is unpacked', async () => {
  const file = await zipOf({ 'a.md': bytes(1000), 'b.md': bytes(1000), 'c.md': bytes(500) });
  expect(await unpack(file)).toEqual({ read: ['a.md', 'b.md', 'c.md'] });
});

test('a zip of one byte more than the limit is refused by code', async () => {
  const file = await zipOf({ 'a.md': bytes(1000), 'b.md': bytes(1000), 'c.md': bytes(501) });
  expect(await unpack(file)).toMatchObject({ stopped: 'archive_too_large' });
});

test('a zip of more entries than the limit is refused before an entry is unpacked', async () => {
  const file = await zipOf({ 'a.md': '', 'b.md': '', 'c.md': '', 'd.md': '', 'e.md': '' });
  expect(await unpack(file)).toEqual({ read: [], stopped: 'archive_too_large' });
});

test('a zip of many small entries is refused by its unpacked size, not by its packed size', async () => {
  const file = await zipOf({ 'a.md': bytes(999), 'b.md': bytes(999), 'c.md': bytes(999) });
  expect(file.size).toBeLessThan(LIMITS.bytes);
  expect(await unpack(file)).toMatchObject({ stopped: 'archive_too_large' });
});

test('an entry that unpacks to more than its declared size is left out', async () => {
  const file = await zipOf({ 'a.md': bytes(900) });
  const raw = new Uint8Array(await file.arrayBuffer());
  const view = new DataView(raw.buffer);
  // The size is told in the central directory (24 bytes in) and in the local header (22 bytes in).
  for (let at = 0; at < raw.length - 4; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 90, true);
    if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, 90, true);
  }
  const { read, left } = await unpack(new File([raw], 'a.zip'));
  expect(read).toEqual([]);
  expect(left?.[0]).toMatch(/^a\.md: /);
});

test('an entry over the limit of a file is left out, and the others are unpacked', async () => {
  const file = await zipOf({ 'a.md': bytes(1001), 'b.md': 'b' });
  expect(await unpack(file)).toEqual({ read: ['b.md'], left: ['a.md: it unpacks to 1001 bytes, the limit is 1000'] });
});

test('the records that macOS puts beside the files of a zip are no files', async () => {
  const file = await zipOf({ 'a.md': 'a', '__MACOSX/._a.md': 'finder' });
  expect(await unpack(file)).toEqual({ read: ['a.md'] });
});

test.each(['a\u202egnp.md', 'a\u001b[2J.md', 'a\u2066.md', 'a\u200f.md', 'a\u2028.md', 'a\u009b.md'])(
  'the name %j in a zip cannot name content',
  (path) => {
    expect(checkPath(path)).toMatchObject({ ok: false, refusal: { code: 'path_invalid' } });
  },
);
