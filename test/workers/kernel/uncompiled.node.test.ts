import { afterEach, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { checkExport } from '../../../workers/auditor/verify-export.ts';
import { createValidator, definePower, fromScript } from '../../../workers/node.ts';
import { forChecks, openRuntime } from '../../runtime/shared.ts';
import { UNCOMPILABLE } from '../../schemas.ts';

const ECHO = {
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  args: { type: 'object', properties: { text: { type: 'string' } } },
  effect: 'write',
  source: 'export default ({ text }) => text;',
} as const;
const call = { next_step: { tool: 'echo', arguments: { text: 'hi' }, goal: 'say' } };
const done = { done: true, message: 'ok' };

let runtime: Runtime | undefined;
afterEach(() => runtime?.close());

async function records(rt: Runtime): Promise<readonly LedgerRecord[]> {
  const run = rt.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, call, done]) });
  expect((await run.result).state).toBe('completed');
  return rt.ledger.records(run.id);
}

const codes = (all: readonly LedgerRecord[]) =>
  all.flatMap((record) =>
    record.kind === 'receipt' ? (record.body.evidence.reason?.code ?? record.body.receipt.status) : [],
  );

describe('a schema that is found not to compile', () => {
  test.each<[string, object, object]>([
    ['of arguments', { args: UNCOMPILABLE }, {}],
    ['of a result', { result: UNCOMPILABLE }, {}],
    ['of a grant', {}, { where: UNCOMPILABLE }],
  ])(
    'a schema %s that does not compile refuses the call before it runs, and disables the capability',
    async (_of, more, terms) => {
      runtime = await openRuntime({
        capabilities: [{ ...ECHO, ...more }],
        grants: [{ capability: 'echo', mode: 'allow', ...terms }],
      });
      const all = await records(runtime);
      expect(codes(all)).toEqual(['schema_refused', 'schema_refused', 'SUCCESS']);
      expect(all.filter(({ kind }) => kind === 'intent')).toEqual([]);
      const [verdict] = all.filter((record) => record.kind === 'verdict');
      expect(verdict?.kind === 'verdict' && verdict.body.refusal).toMatchObject({
        class: 'definition',
        code: 'schema_refused',
        step: 'arguments',
      });
      const revocation = all.find((record) => record.kind === 'revocation');
      expect(revocation?.kind === 'revocation' && revocation.body.revoked).toMatchObject([{ capability: 'echo' }]);
      expect((await runtime.capabilities.list()).find(({ name }) => name === 'echo')?.enabled).toBe(false);
      const jsonl = await runtime.ledger.export(all[0]?.run_id ?? '');
      const report = await checkExport(jsonl, { replay: true }, forChecks);
      expect(report.checks.map(({ id, status }) => [id, status])).toEqual([
        ['form', 'pass'],
        ['hashes', 'pass'],
        ['links', 'pass'],
        ['anchor', 'not_run'],
        ['decisions', 'pass'],
        ['replay', 'pass'],
      ]);
    },
  );

  test('a power whose schema does not compile is refused when it is provided', async () => {
    const power = definePower({
      name: 'page.read',
      version: '1.0.0',
      description: 'Reads.',
      effect: 'read',
      args: UNCOMPILABLE,
      run: () => null,
    });
    await expect(openRuntime({ powers: [power] })).rejects.toMatchObject({ code: 'schema_refused' });
  });

  test('a validator refuses a proposal for a schema that does not compile', async () => {
    const validator = await createValidator({ dialect: 'xct', capabilities: [{ ...ECHO, args: UNCOMPILABLE }] });
    const verdict = await validator.validate(new TextEncoder().encode(JSON.stringify(call)));
    expect(verdict).toMatchObject({ accepted: false, code: 'schema_refused', step: 'arguments' });
    await validator.close();
  });
});

test('a grant of constants and ranges decides as the same grant with a schema of the realm does', async () => {
  const where = { properties: { text: { enum: ['hi', 'ho'] } }, required: ['text'] };
  const outcomes = [];
  for (const each of [where, { ...where, minProperties: 1 }]) {
    const own = await openRuntime({
      capabilities: [ECHO],
      grants: [{ capability: 'echo', mode: 'allow', where: each }],
    });
    const other = { next_step: { tool: 'echo', arguments: { text: 'he' }, goal: 'say' } };
    const run = own.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, other, done]) });
    await run.result;
    const all = await own.ledger.records(run.id);
    outcomes.push(codes(all));
    await own.close();
  }
  expect(outcomes[0]).toEqual(['SUCCESS', 'grant_constraint', 'SUCCESS']);
  expect(outcomes[1]).toEqual(outcomes[0]);
});

test('capabilities that are registered together are listed in the order of their registration', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `echo${(at * 7) % 20}`);
  runtime = await openRuntime({ capabilities: names.map((name) => ({ ...ECHO, name })) });
  const listed = (await runtime.capabilities.list()).map(({ name }) => name).filter((name) => name.startsWith('echo'));
  expect(listed).toEqual(names);
});
