import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyExport } from '../../../../core/index.ts';
import { ATTEMPTS, attempt, openBreakout } from '../../../../web/playground/breakout/attempts.ts';
import { bakery } from '../../../../web/playground/demo/scenario.ts';
import type { Lab, Trial } from '../../../../web/playground/lab/lab.ts';
import { isRepeatable, whereStopped } from '../../../../web/playground/lab/stop-place.ts';
import { createSandbox } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

describe('every attack on the break-out page', () => {
  let lab: Lab;
  const trials = new Map<string, Trial>();
  beforeAll(async () => {
    lab = await openBreakout(openRuntime, bakery('xct').capabilities);
  });
  afterAll(() => lab.close());

  it.each(ATTEMPTS.map((each) => [each.title, each] as const))(
    'an attack on the break-out page is stopped at the step that the page names: %s',
    async (_, each) => {
      const { trial, code, step, reached, next, held } = await attempt(lab, each);
      trials.set(each.id, trial);
      expect({ code, reached }).toEqual({ code: each.expects.code, reached: [] });
      if (each.expects.step !== undefined) expect(step).toBe(each.expects.step);
      expect(JSON.parse(next.reply)).toEqual({ status: 'success', result: { reached: [] } });
      expect(held).toBe(true);
    },
  );

  it('an attack that ends at the same operation again has a line, and a step without its bytes has none', async () => {
    const stopped = [...trials].filter(([, { receipt }]) => isRepeatable(receipt.body.evidence.ended_by));
    const lines = stopped.map(async ([id, { step }]) => [id, (await whereStopped(createSandbox, step))?.line] as const);
    expect(Object.fromEntries(await Promise.all(lines))).toEqual(LINES);
    const altered = { ...(trials.get('loop') as Trial).step, bytes: async () => undefined };
    expect(await whereStopped(createSandbox, altered)).toBeUndefined();
  });

  it('the attacks leave a ledger that verifies, with a receipt for each attack and each honest call after it', async () => {
    const file = await lab.seal();
    expect(verifyExport(file)).toMatchObject({ ok: true });
    expect(lab.records.value.filter(({ kind }) => kind === 'receipt')).toHaveLength(2 * ATTEMPTS.length);
  });
});

/** For a loop without calls, the engine knows only the first line of its function. */
const LINES = { loop: 1, swallow: 1, regex: 2, memory: 3, stack: 2, deep: 2, proxy: 2 };
