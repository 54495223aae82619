import { describe, expect, it } from 'vitest';
import { encodeText, extend, formatExport, NO_RECORDS } from '../../../../core/index.ts';
import { RUN_LINK } from '../../../../web/playground/files/export-blob.ts';
import { packText as packRun } from '../../../../web/playground/parts/pack-text.ts';
import { openRunLink, packedIn } from '../../../../web/playground/send/run-link.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';

/** A run of a single record whose text is hostile. */
function exportWith(text: string): string {
  const bytes = encodeText(text);
  const body = { text: { sha256: 'a'.repeat(64), bytes: bytes.length } };
  const facts = { run_id: RUN, epoch: 1, at: 1 };
  const { text: line } = extend(NO_RECORDS, { kind: 'task', body }, facts);
  return formatExport(RUN, [line], [{ sha256: 'a'.repeat(64), bytes }]);
}

const reasonOf = async (packed: string): Promise<string> => {
  const opened = await openRunLink(packed);
  return opened.ok ? 'opened' : opened.reason;
};

describe('a link with a run', () => {
  it('a link with a run gives back the export byte for byte, scripts and all', async () => {
    const text = exportWith('</script><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>');
    const packed = await packRun(text);
    expect(packed).toMatch(/^1\.[\w-]+$/);
    expect(await openRunLink(packed)).toEqual({
      ok: true,
      run: { text, run_id: RUN, records: 1, steps: 0, characters: packed.length, bytes: encodeText(text).length },
    });
  });

  it('a link with a run is refused when it is longer than the limit', async () => {
    expect(await reasonOf(`1.${'A'.repeat(RUN_LINK.charactersMax)}`)).toContain('the limit is 131,072');
  });

  it('a link with a run is refused when it unfolds beyond the bound', async () => {
    const bomb = await packRun('x'.repeat(8 << 20));
    expect(bomb.length).toBeLessThan(RUN_LINK.charactersMax);
    expect(await reasonOf(bomb)).toContain('unfolds to more than 2,097,152 bytes');
  });

  it('a link with a run is refused when it was made for another format', async () => {
    expect(await reasonOf((await packRun('{}')).replace(/^1/, '7'))).toContain('made for format 7');
  });

  it.each(['', 'x', '1.', '1.%%%', '1.A', '1.AAAA', '<script>', '1.eyJhIjoxfQ', `1.${'_'.repeat(900)}`])(
    'a link with a run is refused when it is damaged: %s',
    async (packed) => {
      expect(await reasonOf(packed)).toMatch(
        /^This link cannot be opened: .*Nothing was run, and nothing was fetched\.$/,
      );
    },
  );

  it('a link with a run is refused when a part of it is missing', async () => {
    const packed = await packRun(exportWith('a task'));
    for (const length of [3, 40, packed.length - 4])
      expect(await reasonOf(packed.slice(0, length))).toContain('cut off');
  });

  it.each(['', '{}', '# a file', '<!doctype html><script>alert(1)</script>', '\n'.repeat(1_000_000)])(
    'a link with a run is refused when it holds no record: %#',
    async (text) => {
      expect(await reasonOf(await packRun(text))).toContain('no record of a run');
    },
  );

  it('a link is found in a pasted text that is a link and no more', () => {
    expect(packedIn(' https://play.example/?x=1#run=1.abc_-\n')).toBe('1.abc_-');
    expect(packedIn('#run=1.abc')).toBe('1.abc');
    for (const text of [
      '',
      '#run=',
      'see https://play.example/#run=1.abc',
      'javascript:x#run=1.a',
      '#s=1.abc',
      '#run=a b',
    ])
      expect(packedIn(text)).toBe(undefined);
  });
});
