import { afterEach, expect, test } from 'vitest';
import { SallyportError } from '../../../core/sallyport-error.ts';
import type { Runtime } from '../../../workers/api.ts';
import { checkExport } from '../../../workers/auditor/verify-export.ts';
import type { OpenSandboxes, SchemaPort } from '../../../workers/ports.ts';
import { done, NOTE, put } from '../../runtime/note.ts';
import { forChecks, openRuntime } from '../../runtime/shared.ts';

let open: Runtime | undefined;
afterEach(() => open?.close());

/** The export of an honest run with a call, under a schema that was registered at run time. */
async function honestExport(): Promise<string> {
  const proposals = [put('a'), done];
  open = await openRuntime({ capabilities: [NOTE], grants: [{ capability: NOTE.name, mode: 'allow' }] });
  const model = {
    id: 'test',
    locality: { kind: 'local' as const },
    propose: async () => ({ text: JSON.stringify(proposals.shift()) }),
  };
  const run = open.start({ dialect: 'xct', task: 'Note.', model });
  expect((await run.result).state).toBe('completed');
  return open.ledger.export(run.id);
}

/** The status of a check, and the reason for the first item that it skipped. */
async function checked(id: 'decisions' | 'replay', from: OpenSandboxes): Promise<readonly unknown[]> {
  const { checks } = await checkExport(await honestExport(), { replay: true }, from);
  const check = checks.find((each) => each.id === id);
  return [check?.status, check?.skipped?.first.message];
}

const lostVerdicts: SchemaPort['check'] = async (hashes) => new Map(hashes.map((hash) => [hash, { failed: 'lost' }]));

test('a validator that the verifier loses leaves the decisions of an honest run unverified, and fails none', async () => {
  const [status, message] = await checked('decisions', async () => {
    const { sandbox, schemas } = await forChecks();
    return { sandbox, schemas: { register: schemas.register, check: lostVerdicts } };
  });
  expect(status).not.toBe('fail');
  expect(message).toContain('a schema could not be checked in this verification');
});

test('a schema that the verifier cannot compile in time leaves the decisions of an honest run unverified', async () => {
  const details = { rule: 'compile', reason: 'it was stopped' };
  const refusal = { class: 'definition' as const, code: 'schema_refused' as const, message: '', details };
  const [status, message] = await checked('decisions', async () => {
    const { sandbox, schemas } = await forChecks();
    return { sandbox, schemas: { register: async () => ({ ok: false, refusal }), check: schemas.check } };
  });
  expect(status).not.toBe('fail');
  expect(message).toContain('a schema could not be checked in this verification');
});

test('a source whose load hangs in the verifier leaves the calls of an honest run unverified, and fails none', async () => {
  const hang = new SallyportError('source_limit', 'It hung.', { limit: 'hang' });
  const [status, message] = await checked('replay', async () => {
    const { sandbox, schemas } = await forChecks();
    return { schemas, sandbox: { ...sandbox, load: async () => Promise.reject(hang) } };
  });
  expect(status).not.toBe('fail');
  expect(message).toContain('it takes more time than the verifier spends on this file');
});
