import { afterEach, expect, it, vi } from 'vitest';
import { makeChanges } from '../../../../../workers/bridges/mcp/client/declarations.ts';

afterEach(() => vi.restoreAllMocks());

it('a change is told soon, also where the clock has been set back', async () => {
  const changes = makeChanges();
  let told = 0;
  changes.listen(() => told++);
  changes.note();
  changes.taken();
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000);
  changes.note();
  await vi.waitFor(() => expect(told).toBe(2), { timeout: 5000 });
});
