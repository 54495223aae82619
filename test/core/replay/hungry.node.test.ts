import { beforeAll, describe, expect, test } from 'vitest';
import { type CheckId, parseExport, type Report } from '../../../core/index.ts';
import { defineCapability, fromScript, openRuntime, replayExport, verifyExport } from '../../../workers/node.ts';
import { replacePayload, rewrite } from './rewrite.ts';

const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);

const HUNGRY = {
  fuel: Number.MAX_SAFE_INTEGER,
  deadlineMs: 86_400_000,
  memoryBytes: 1 << 30,
} as const;

/** An honest run whose limits permit a day of work, which its clock decides about. */
let honest = '';
beforeAll(async () => {
  const capability = defineCapability({
    name: 'slowpoke',
    version: '1.0.0',
    description: 'Has all the time of the world.',
    effect: 'pure',
    args: {},
    powers: ['clock'],
    limits: HUNGRY,
    source: `export default async (_, powers) => {
      const t = await powers.clock();
      if (t === 1) for (;;);
      const a = [];
      if (t === 2) for (;;) a.push(new Uint8Array(1 << 20).fill(1));
      return 1;
    };`,
  });
  const rt = await openRuntime({ capabilities: [capability], grants: [{ capability: 'slowpoke', mode: 'allow' }] });
  const call = { next_step: { tool: 'slowpoke', arguments: {}, goal: 'g' } };
  const run = rt.start({ dialect: 'xct', task: 'x', model: fromScript([call, { done: true, message: 'ok' }]) });
  await run.result;
  honest = await rt.ledger.export(run.id);
  await rt.close();
});

/** The guest is told another time, in a file whose every hash is right. */
function told(clock: number, fuel?: number): string {
  const decoder = new TextDecoder();
  const calls = [...parseExport(honest).payloads].find(([, bytes]) => decoder.decode(bytes).includes('"name":"clock"'));
  const [sha256 = '', bytes] = calls ?? [];
  const lie = replacePayload(honest, sha256, decoder.decode(bytes).replace(/"result":\d+/, `"result":${clock}`));
  if (fuel === undefined) return lie;
  return rewrite(lie, ({ kind, body }) =>
    kind === 'receipt' && 'fuel' in Object(body['evidence'])
      ? { ...body, evidence: { ...(body['evidence'] as object), fuel } }
      : body,
  );
}

/** With the work of this process meanwhile, its threads included: how long that takes is for the machine to say. */
async function timed(text: string, deadlineMs?: number): Promise<{ report: Report; workMs: number }> {
  const before = process.cpuUsage();
  const report = await replayExport(text, deadlineMs === undefined ? {} : { deadlineMs });
  const { user, system } = process.cpuUsage(before);
  return { report, workMs: (user + system) / 1_000 };
}

describe('a file whose limits permit a day of work', () => {
  test('is replayed as far as it was honest', async () => {
    const { report } = await timed(honest);
    expect([failed(report), check(report, 'replay')?.status]).toEqual([[], 'pass']);
    expect(check(report, 'replay')?.skipped).toBe(undefined);
  });

  test.each([1, 2])(
    'is found out at once where its guest is led to use more than it is recorded to have: %i',
    async (at) => {
      const { report, workMs } = await timed(told(at));
      expect(failed(await verifyExport(told(at)))).toEqual([]);
      expect(failed(report)).toEqual(['replay']);
      expect(workMs).toBeLessThan(20_000);
    },
  );

  test('keeps the verifier for as long as it says, where the recorded cost is a lie as well', async () => {
    const { report, workMs } = await timed(told(1, Number.MAX_SAFE_INTEGER - 1), 1_000);
    expect(workMs).toBeLessThan(20_000);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped).toMatchObject({ count: 1, first: { code: 'not_replayed' } });
    expect(check(report, 'replay')?.skipped?.first.message).toContain('more time than the verifier spends');
  });

  test('takes no more memory than the verifier gives', async () => {
    const { report } = await timed(told(2, Number.MAX_SAFE_INTEGER - 1));
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped?.first.message).toContain('more memory than the verifier gives');
  });

  test('is verified with no time at all, and then says what it took as recorded', async () => {
    const { report } = await timed(honest, 0);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped).toMatchObject({ count: 1, first: { code: 'not_replayed' } });
  });
});
