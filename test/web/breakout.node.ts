import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyExport } from '../../core/index.ts';
import { bakery } from '../../web/demo/scenario.ts';
import { ATTEMPTS, attempt, openBreakout } from '../../web/lab/breakout.ts';
import type { Lab } from '../../web/lab/lab.ts';
import { openRuntime } from '../../workers/node.ts';

describe('every attack on the break-out page', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openBreakout(openRuntime, bakery('xct').capabilities);
  });
  afterAll(() => lab.close());

  it.each(ATTEMPTS.map((each) => [each.title, each] as const))(
    'is stopped where the page says: %s',
    async (_, each) => {
      const { code, step, reached, next, held } = await attempt(lab, each);
      expect({ code, reached }).toEqual({ code: each.expects.code, reached: [] });
      if (each.expects.step !== undefined) expect(step).toBe(each.expects.step);
      expect(JSON.parse(next.reply)).toEqual({ status: 'success', result: { reached: [] } });
      expect(held).toBe(true);
    },
  );

  it('leaves a ledger that verifies, with a receipt for each attack and each honest call after it', async () => {
    const file = await lab.seal();
    expect(verifyExport(file)).toMatchObject({ ok: true });
    expect(lab.records.value.filter(({ kind }) => kind === 'receipt')).toHaveLength(2 * ATTEMPTS.length);
  });
});
