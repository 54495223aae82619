import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import { patient } from '../../../../workers/node/command/mcp.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** ms after which a start that finds this lock gives up, or the ledger that it opened. */
async function opened(details: { pid: number; host?: string }, freeAfterMs: number): Promise<unknown> {
  const began = Date.now();
  const open = async (): Promise<string> => {
    if (Date.now() - began < freeAfterMs) throw new SallyportError('store_locked', 'locked', details);
    return 'ledger';
  };
  const end = patient(open).catch(() => Date.now() - began);
  await vi.advanceTimersByTimeAsync(60_000);
  return end;
}

test('a start waits for the lock that a process of another machine or of an earlier start left behind', async () => {
  expect(await opened({ pid: 1, host: 'web-1' }, 30_500)).toBe('ledger');
  expect(await opened({ pid: 1, host: 'web-1' }, Infinity)).toBeLessThan(33_000);
});

test('a start waits shortly for a process of this machine', async () => {
  expect(await opened({ pid: 1 }, 2_500)).toBe('ledger');
  expect(await opened({ pid: 1 }, Infinity)).toBeLessThan(4_000);
});
