import { expect, test } from 'vitest';
import { cdp, server } from 'vitest/browser';
import { openBrowserStore } from '../../workers/idb/store.ts';
import { readRecords, type StoredPayload } from '../../workers/store.ts';
import { payload, sampleRun } from '../ledger/sample.ts';
import { valueOf } from './store-suite.ts';

type Send = (method: string, params: object) => Promise<unknown>;

// Only Chromium lets a test set the quota.
const title =
  server.browser === 'chromium'
    ? 'a full disk is a refusal, and what was written before stays'
    : 'NOT RUN: this browser has no quota to set';

test(title, async () => {
  expect(['chromium', 'firefox']).toContain(server.browser);
  if (server.browser !== 'chromium') return;
  const send = (cdp() as unknown as { send: Send }).send.bind(cdp());
  const { run_id, batches } = sampleRun(1, 2, false);
  const [first, second, third] = batches.map((batch) => ({ run_id, ...batch }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('no sample');
  // Chromium asks for the room once and remembers it for a while: the quota is set before the first write.
  await send('Storage.overrideQuotaForOrigin', { origin: location.origin, quotaSize: 4_000_000 });
  const store = valueOf(await openBrowserStore(`quota-${crypto.randomUUID()}`));
  valueOf(await store.append(first, 'strict'));
  const large = { ...payload('large'), bytes: Uint8Array.from({ length: 8_000_000 }, () => Math.random() * 256) };
  await useUp(large);
  const full = await store.append({ ...second, payloads: [large] }, 'strict');
  await send('Storage.overrideQuotaForOrigin', { origin: location.origin });
  expect(full).toMatchObject({ ok: false, refusal: { class: 'storage', code: 'store_full' } });
  expect(valueOf(await readRecords(store, run_id))).toHaveLength(2);
  expect(valueOf(await store.append(second, 'strict')).seq).toBe(2);
  expect(valueOf(await store.append(third, 'strict')).seq).toBe(7);
  await store.close();
});

/** Where others wrote before, some of the room they were given is left. */
async function useUp(large: StoredPayload): Promise<void> {
  const { run_id, batches } = sampleRun(2, 20, false);
  const store = valueOf(await openBrowserStore(`quota-${crypto.randomUUID()}`));
  for (const batch of batches) if (!(await store.append({ run_id, ...batch, payloads: [large] }, 'strict')).ok) break;
  await store.close();
}
