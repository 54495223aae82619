import { describe, expect, test } from 'vitest';
import { pass } from '../../../../core/outcome.ts';
import { definedSymbols } from '../../../../workers/kernel/content/tool-symbols.ts';
import { emptyLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';

/** A store with so many symbols `@TOOLS/0`, `@TOOLS/1`…, and the names of the calls that reach it. */
async function storeOf(count: number) {
  const store = openMemoryStore(emptyLog());
  const rows = Array.from(
    { length: count },
    (_, at) => ({ table: 'symbols', key: `@TOOLS/${at}`, value: {} }) as const,
  );
  await store.put(rows, 'relaxed');
  const calls: string[] = [];
  const watched: Pick<typeof store, 'all' | 'get'> = {
    all: (...given) => (calls.push('all'), store.all(...given)),
    get: (...given) => (calls.push('get'), store.get(...given)),
  };
  return { store: watched, calls };
}

describe('definedSymbols', () => {
  test('names that are asked together share one read of a store with few symbols', async () => {
    const { store, calls } = await storeOf(3);
    const isDefined = definedSymbols(store);
    const asked = await Promise.all(['@TOOLS/1', '@TOOLS/x', '@TOOLS/2'].map(isDefined));
    expect([asked, calls]).toEqual([[pass(true), pass(false), pass(true)], ['all']]);
  });

  test('a name that is asked alone is looked up by its key', async () => {
    const { store, calls } = await storeOf(3);
    const isDefined = definedSymbols(store);
    expect([await isDefined('@TOOLS/1'), await isDefined('@TOOLS/x')]).toEqual([pass(true), pass(false)]);
    expect(calls).toEqual(['get', 'get']);
  });

  test('names that are asked together are looked up by their keys in a store with many symbols', async () => {
    const { store, calls } = await storeOf(300);
    const asked = await Promise.all(['@TOOLS/299', '@TOOLS/x'].map(definedSymbols(store)));
    expect([asked, calls]).toEqual([
      [pass(true), pass(false)],
      ['all', 'get', 'get'],
    ]);
  });

  test('a store that fails fails every name, and the next names are asked again', async () => {
    const { store } = await storeOf(1);
    let isLost = true;
    const failing = definedSymbols({
      ...store,
      all: async (...given) => (isLost ? Promise.reject(new Error('lost')) : store.all(...given)),
    });
    const ended = await Promise.allSettled(['@TOOLS/0', '@TOOLS/x'].map(failing));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isLost = false;
    expect(await Promise.all(['@TOOLS/0', '@TOOLS/x'].map(failing))).toEqual([pass(true), pass(false)]);
  });
});
