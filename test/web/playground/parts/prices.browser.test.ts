import { afterEach, expect, test } from 'vitest';
import { priceOf, setPrice, usualCurrency } from '../../../../web/playground/parts/prices.ts';

const KEY = 'sallyport.prices';
const FRANCS = { input: 3, output: 10, currency: 'CHF' } as const;

afterEach(() => setPrice('tiny', { input: 0, output: 0, currency: 'USD' }));

/** A window of the same origin: its changes of the storage are those of another tab. */
function otherTab(): { readonly storage: Storage; close(): void } {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const { localStorage: storage } = frame.contentWindow as Window;
  return { storage, close: () => frame.remove() };
}

test('a price that another tab sets holds in this one, and is kept when this one sets another', async () => {
  const tab = otherTab();
  tab.storage.setItem(KEY, JSON.stringify({ other: FRANCS }));
  await expect.poll(() => priceOf('other')).toEqual(FRANCS);
  expect(usualCurrency()).toBe('CHF');
  setPrice('tiny', { input: 1, output: 2, currency: 'EUR' });
  expect(Object.keys(JSON.parse(localStorage.getItem(KEY) ?? '{}') as object)).toEqual(['tiny', 'other']);
  tab.close();
});

test('a price leaves when another tab clears the storage', async () => {
  setPrice('tiny', FRANCS);
  const tab = otherTab();
  tab.storage.clear();
  await expect.poll(() => priceOf('tiny')).toBeUndefined();
  expect(usualCurrency()).not.toBe('CHF');
  tab.close();
});
