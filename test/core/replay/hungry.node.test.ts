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

/** A deadline that a replay on a busy machine does not reach. */
const PATIENT_MS = 100_000;

/** An honest run whose limits permit a day of work; the answer of its clock decides how much work it does. */
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

/** A file with right hashes in which the guest gets another time from its clock. */
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

/**
 * Measures the processor time of this process, threads included, during a replay. The duration depends on the machine.
 */
async function timed(text: string, deadlineMs?: number): Promise<{ report: Report; workMs: number }> {
  const before = process.cpuUsage();
  const report = await replayExport(text, deadlineMs === undefined ? {} : { deadlineMs });
  const { user, system } = process.cpuUsage(before);
  return { report, workMs: (user + system) / 1_000 };
}

describe('a file whose limits permit a day of work', () => {
  test('a run whose limits permit a day of work is replayed when it is honest', async () => {
    const { report } = await timed(honest);
    expect([failed(report), check(report, 'replay')?.status]).toEqual([[], 'pass']);
    expect(check(report, 'replay')?.skipped).toBe(undefined);
  });

  test.each([1, 2])(
    'a guest that uses more fuel than its receipt states is found at once by the replay: %i',
    async (at) => {
      const { report, workMs } = await timed(told(at), PATIENT_MS);
      expect(failed(await verifyExport(told(at)))).toEqual([]);
      expect(failed(report)).toEqual(['replay']);
      expect(workMs).toBeLessThan(20_000);
    },
  );

  test('a replay with a false fuel in the receipt ends at the deadline of the verifier', async () => {
    const { report, workMs } = await timed(told(1, Number.MAX_SAFE_INTEGER - 1), 1_000);
    expect(workMs).toBeLessThan(20_000);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped).toMatchObject({ count: 1, first: { code: 'not_replayed' } });
    expect(check(report, 'replay')?.skipped?.first.message).toContain('more time than the verifier spends');
  });

  test('a replay takes no more memory than the verifier gives', async () => {
    const { report } = await timed(told(2, Number.MAX_SAFE_INTEGER - 1), PATIENT_MS);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped?.first.message).toContain('more memory than the verifier gives');
  });

  test('a replay without time takes the step as recorded and reports it as skipped', async () => {
    const { report } = await timed(honest, 0);
    expect(failed(report)).toEqual([]);
    expect(check(report, 'replay')?.skipped).toMatchObject({ count: 1, first: { code: 'not_replayed' } });
  });
});
