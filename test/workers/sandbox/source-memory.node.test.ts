import { afterEach, expect, test } from 'vitest';
import { define } from '../../../core/capability/define.ts';
import { CALL_LIMITS, type LedgerRecord, sha256Text } from '../../../core/index.ts';
import { unwrap } from '../../../core/sallyport-error.ts';
import { SOURCE_CHECK, sourceKey } from '../../../sandbox/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { checkExport } from '../../../workers/auditor/verify-export.ts';
import { definitionOf } from '../../../workers/client/apply-options.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, fromScript } from '../../../workers/node.ts';
import type { ImageStore, SourceStore } from '../../../workers/ports.ts';
import type { PersistentSandboxPort } from '../../../workers/sandbox/port.ts';
import { sandboxMemory } from '../../../workers/sandbox/sandbox-memory.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { forChecks } from '../../runtime/shared.ts';

const ECHO = defineCapability({
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  args: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
  effect: 'write',
  source: 'export default ({ text }) => text;',
});
const FAULTY = { ...ECHO, source: 'export default (args) => {\n  args args;\n};' };
const grants = [{ capability: 'echo', mode: 'allow' as const }];
const call = { next_step: { tool: 'echo', arguments: { text: 'hi' }, goal: 'say' } };
const done = { done: true, message: 'ok' };

const opened: Runtime[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

const NO_IMAGES: ImageStore = { get: async () => undefined, put: async () => undefined };

interface Visit {
  readonly runtime: Runtime;
  /** Names of the capabilities that a sandbox has checked. */
  readonly checked: readonly string[];
}

/** A page visit: a kernel of its own over a store that outlives it. */
async function visit(
  store: SourceStore,
  capability: typeof ECHO = ECHO,
  built: readonly string[] = [],
): Promise<Visit> {
  const { sandbox, schemas } = await openSandboxes();
  const checked: string[] = [];
  const counting: PersistentSandboxPort = {
    check: (given) => {
      checked.push(given.name);
      return sandbox.check(given);
    },
    load: (given) => sandbox.load(given),
    call: (request, powers) => sandbox.call(request, powers),
    resume: (request, powers) => sandbox.resume(request, powers),
    close: () => sandbox.close(),
  };
  const remember = sandboxMemory({ images: NO_IMAGES, sources: store, built });
  const ports = { ...nodePorts, store: openMemoryStore(), schemas, sandbox: remember(counting) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const options = { capabilities: [capability], grants };
  const runtime = await openClient(kernel, async () => localAuditor(openSandboxes), options);
  opened.push(runtime);
  return { runtime, checked };
}

function inMemory(keys: Set<string> = new Set<string>()): SourceStore & { readonly present: ReadonlySet<string> } {
  return {
    present: keys,
    keys: async () => [...keys],
    add: async (key) => void keys.add(key),
    delete: async (key) => void keys.delete(key),
  };
}

/** Key of the source with the limits that a registration gives it. */
function keyOf(definition: typeof ECHO): string {
  return sourceKey(unwrap(define(definitionOf(definition))).manifest);
}

async function calls({ runtime }: Visit): Promise<readonly LedgerRecord[]> {
  const run = runtime.start({ dialect: 'xct', task: 'Say.', model: fromScript([call, call, done]) });
  expect((await run.result).state).toBe('completed');
  return runtime.ledger.records(run.id);
}

const codes = (all: readonly LedgerRecord[]) =>
  all.flatMap((record) =>
    record.kind === 'receipt' ? (record.body.evidence.reason?.code ?? record.body.receipt.status) : [],
  );

test('a source that was accepted is registered on the next visit without a sandbox, and called there', async () => {
  const store = inMemory();
  const first = await visit(store);
  expect(first.checked).toEqual(['echo']);
  expect([...store.present]).toEqual([keyOf(ECHO)]);
  const second = await visit(store);
  expect(second.checked).toEqual([]);
  expect(codes(await calls(second))).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
});

test('a source that is refused is not remembered', async () => {
  const store = inMemory();
  for (let each = 0; each < 2; each++)
    await expect(visit(store, FAULTY)).rejects.toMatchObject({ code: 'source_refused' });
  expect(store.present.size).toBe(0);
});

test('a source that only another check, or a check of another source, has accepted is checked again', async () => {
  const own = JSON.stringify([SOURCE_CHECK, ECHO.source, [], Object.values(CALL_LIMITS)]);
  expect(sha256Text(own)).toBe(keyOf(ECHO));
  const other = sha256Text(own.replace(SOURCE_CHECK, '0'.repeat(64)));
  const store = inMemory(new Set([other, keyOf(FAULTY), keyOf({ ...ECHO, limits: { fuel: 1 } })]));
  expect((await visit(store)).checked).toEqual(['echo']);
});

test('a source that the build has checked is registered without a sandbox or a store', async () => {
  const never = { ...inMemory(), keys: () => new Promise<never>(() => {}) };
  const first = await visit(never, ECHO, [keyOf(ECHO)]);
  expect(first.checked).toEqual([]);
  expect(codes(await calls(first))).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  expect(never.present.size).toBe(0);
});

test('a forged key of a source with a fault lets no call run, and disables the capability', async () => {
  const store = inMemory(new Set([keyOf(FAULTY)]));
  const forged = await visit(store, FAULTY);
  expect(forged.checked).toEqual([]);
  const all = await calls(forged);
  expect(codes(all)).toEqual(['permission_revoked', 'capability_disabled', 'SUCCESS']);
  const revocation = all.find((record) => record.kind === 'revocation');
  expect(revocation?.kind === 'revocation' && revocation.body.revoked).toMatchObject([{ capability: 'echo' }]);
  expect((await forged.runtime.capabilities.list()).find(({ name }) => name === 'echo')?.enabled).toBe(false);
  const report = await checkExport(
    await forged.runtime.ledger.export(all[0]?.run_id ?? ''),
    { replay: true },
    forChecks,
  );
  expect(report.checks.map(({ id, status }) => [id, status])).toEqual([
    ['form', 'pass'],
    ['hashes', 'pass'],
    ['links', 'pass'],
    ['anchor', 'not_run'],
    ['decisions', 'pass'],
    ['replay', 'pass'],
  ]);
  expect(store.present.size).toBe(0);
  await expect(visit(store, FAULTY)).rejects.toMatchObject({ code: 'source_refused', details: { line: 2 } });
});

test.each<[string, Partial<SourceStore>]>([
  ['cannot be read', { keys: () => Promise.reject(new Error('no database')) }],
  ['never answers', { keys: () => new Promise(() => {}) }],
  ['cannot be written', { add: () => Promise.reject(new Error('no database')) }],
])('with a store that %s, the source is checked by the sandbox', async (_, broken) => {
  const each = await visit({ ...inMemory(), ...broken });
  expect(each.checked).toEqual(['echo']);
});
