import { describe, expect, it } from 'vitest';
import { offerOf, partsOf } from '../../../../web/playground/send/offer.ts';
import { largeExport } from './large-exports.ts';

const ALL = new Set(['plain', 'private', 'secret'] as const);

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
    const offer = await offerOf(text, ALL, partsOf(text));
    expect(offer.packed).toBeUndefined();
    expect(offer.size).toMatch(reason);
    expect(offer.size).toMatch(/As a file it has [\d,]+ bytes\. Save the file instead\.$/u);
    expect(offer.text).toBe(text);
  });

  it('a run has a link up to the limit of bytes', async () => {
    const text = largeExport('fits');
    const offer = await offerOf(text, ALL, partsOf(text));
    expect(offer.bytes).toBe(2 << 20);
    expect(offer.packed).toMatch(/^1\.[\w-]+$/u);
    const more = `${text.slice(0, -1)} \n`;
    expect((await offerOf(more, ALL, partsOf(more))).packed).toBeUndefined();
  });
});
