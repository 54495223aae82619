import { expect, test } from 'vitest';
import { misuse } from '../../../core/sallyport-error.ts';
import { SourceChecks } from '../../../workers/sandbox/pool.ts';
import type { GuestCapability } from '../../../workers/sandbox/port.ts';

const source = (name: string) =>
  ({ hash: name, name, source: '', powers: [], limits: {} }) as unknown as GuestCapability;

/** Checks of sources that hang, load or are lost by their name, and the names of each turn. */
function checks() {
  const turns: string[] = [];
  const own = new SourceChecks(async (sources) => {
    const names = sources.map(({ name }) => name);
    turns.push(names.join());
    if (names.includes('hang')) throw misuse('source_limit', { limit: 'hang' });
    if (names.includes('gone')) throw misuse('sandbox_closed', {});
    return names.map(() => ({ ok: true, value: undefined }));
  });
  const all = (...names: readonly string[]) => Promise.allSettled(names.map((name) => own.check(source(name))));
  return { all, turns };
}

test('sources that wait at the same time are checked in a single turn', async () => {
  const { all, turns } = checks();
  expect((await all('a', 'b', 'c')).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(turns).toEqual(['a,b,c']);
});

test('a source that hangs is refused alone, and the sources checked with it are accepted', async () => {
  const { all, turns } = checks();
  const settled = await all('a', 'hang', 'b');
  expect(turns).toEqual(['a,hang,b', 'a', 'hang', 'b']);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(settled[1]).toMatchObject({ reason: { code: 'source_limit', details: { limit: 'hang' } } });
});

test('sources of a turn that is lost with its sandbox are all refused with its reason', async () => {
  const { all, turns } = checks();
  const settled = await all('a', 'gone');
  expect(turns).toEqual(['a,gone']);
  expect(settled.map((each) => each.status === 'rejected' && (each.reason as { code: string }).code)).toEqual([
    'sandbox_closed',
    'sandbox_closed',
  ]);
});
