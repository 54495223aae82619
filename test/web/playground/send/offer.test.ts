import { describe, expect, it } from 'vitest';
import { exportBlob } from '../../../../web/playground/files/export-blob.ts';
import { openFileWork, type PreparedFile } from '../../../../web/playground/files/file-work.ts';
import { sizeText } from '../../../../web/playground/send/offer.ts';
import { largeExport } from './large-exports.ts';

function prepared(text: string): Promise<PreparedFile> {
  return openFileWork().prepare(() => undefined, exportBlob(text), ['plain', 'private', 'secret']);
}

function said({ file, packedLength, pageBytes }: PreparedFile): string {
  return sizeText({ bytes: file.blob.size, packed: packedLength, pageBytes });
}

describe('a run that is too large for a link', () => {
  it.each([
    [
      'more bytes than a link may unfold to',
      'bytes',
      /^Too large for a link: a link holds at most 2,097,152 bytes\. /u,
    ],
    [
      'more characters than a link has',
      'noise',
      /^Too large for a link: it would have 2\d\d,\d{3} characters, the limit is 131,072\. /u,
    ],
  ] as const)('a run of %s has no link, and the file is offered with its size', async (_, kind, reason) => {
    const text = largeExport(kind);
    const offer = await prepared(text);
    expect(offer.packed).toBeUndefined();
    expect(said(offer)).toMatch(reason);
    expect(said(offer)).toMatch(/As a file it has [\d,]+ bytes\. As a page it has about .* Save the file instead\.$/u);
    expect(await offer.file.blob.text()).toBe(text);
  });

  it('a run has a link up to the limit of bytes', async () => {
    const text = largeExport('fits');
    const offer = await prepared(text);
    expect(offer.file.blob.size).toBe(2 << 20);
    expect(offer.packed).toMatch(/^1\.[\w-]+$/u);
    expect((await prepared(`${text.slice(0, -1)} \n`)).packed).toBeUndefined();
  });
});
