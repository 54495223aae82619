import { describe, expect, test } from 'vitest';
import * as core from '../../core/index.ts';
import type * as page from '../../web/index.ts';
import * as react from '../../web/react.ts';
import * as ai from '../../workers/ai.ts';
import * as node from '../../workers/node.ts';
import * as otlp from '../../workers/otlp.ts';

/**
 * The surface that other programs rely on: exact names and shapes. The compiler holds each `Same` both ways: no member
 * less, and no member more.
 */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : { readonly is: A; readonly not: B };
type Names<T> = keyof T & string;
const held = <_ extends true>(): void => undefined;

type GuestPower = (...args: never[]) => Promise<unknown>;
type Limits =
  | 'fuel'
  | 'memoryBytes'
  | 'stackBytes'
  | 'deadlineMs'
  | 'jobs'
  | 'powerCalls'
  | 'bytesIn'
  | 'bytesOut'
  | 'consoleBytes';

held<Same<Extract<core.Outcome<1>, { ok: true }>, { readonly ok: true; readonly value: 1 }>>();
held<Same<Names<core.Refusal>, 'class' | 'code' | 'step' | 'pointer' | 'message' | 'details'>>();
held<Same<Names<core.CallLimits>, Limits>>();
held<Same<Names<core.Report>, 'ok' | 'checks' | 'records' | 'head' | 'root'>>();
held<Same<core.CheckId, 'form' | 'hashes' | 'links' | 'anchor' | 'decisions' | 'replay'>>();
held<Same<core.Check['status'], 'pass' | 'fail' | 'not_run'>>();
held<Same<Names<NonNullable<core.Check['first']>>, 'run_seq' | 'code' | 'message'>>();
held<
  Same<Names<core.Section>, 'section_id' | 'file_path' | 'heading_path' | 'line_start' | 'line_end' | 'content_hash'>
>();
held<Same<Names<core.SymbolRow>, 'symbol_id' | 'target_type' | 'target_ref' | 'default_slice_policy'>>();
held<
  Same<
    Names<core.RunLimits>,
    | 'steps'
    | 'refusalsInRow'
    | 'wallMs'
    | 'proposalBytes'
    | 'expandedBytes'
    | 'answerTokens'
    | 'contextBytes'
    | 'tokens'
    | 'modelFailuresInRow'
  >
>();
held<Same<core.Dialect, 'femtoclaw' | 'xct' | 'catalytic'>>();
held<
  Same<
    Names<node.GrantOption>,
    | 'capability'
    | 'power'
    | 'revert'
    | 'mode'
    | 'where'
    | 'uses'
    | 'expires'
    | 'rate'
    | 'accepts'
    | 'held'
    | 'release'
    | 'for'
    | 'changed'
    | 'fallback'
    | 'signed'
  >
>();
held<Same<node.GrantOption['mode'], 'allow' | 'ask' | 'deny'>>();
held<Same<Names<node.RunEnd>, 'state' | 'message' | 'code' | 'steps' | 'head' | 'said'>>();
held<Same<node.RunEnd['state'], 'completed' | 'aborted' | 'failed' | 'limit'>>();
held<
  Same<
    Names<node.ApprovalRequest>,
    | 'run_id'
    | 'step_id'
    | 'capability'
    | 'capability_hash'
    | 'effect'
    | 'args'
    | 'digest'
    | 'carries'
    | 'held'
    | 'releases'
    | 'reason'
    | 'reason_code'
    | 'origin'
    | 'signed'
    | 'editable'
  >
>();
held<Same<Names<node.CallOptions>, 'powers' | 'seed' | 'now' | 'signal' | 'heapHash' | 'trace'>>();
held<Same<NonNullable<node.CallOptions['powers']>, { readonly [name: string]: GuestPower }>>();
held<Same<Names<node.LoadOptions>, 'name' | 'source' | 'args' | 'result' | 'powers' | 'limits'>>();
held<
  Same<
    Extract<node.CallOutcome, { ok: false }>['kind'],
    | (
        | 'threw'
        | 'args'
        | 'result'
        | 'fuel'
        | 'memory'
        | 'stack'
        | 'deadline'
        | 'hang'
        | 'jobs'
        | 'power'
        | 'power_calls'
      )
    | ('bytes_in' | 'bytes_out' | 'console' | 'aborted' | 'corrupt' | 'barred' | 'worker')
  >
>();
held<Same<Names<page.Door>, 'origin' | 'fetch' | 'close'>>();
held<Same<Names<page.DoorOptions>, 'kind' | 'url' | 'headers' | 'alsoAsk' | 'assets'>>();
held<
  Same<
    Names<ai.LanguageModelOptions>,
    'origin' | 'mode' | 'providerOptions' | 'name' | 'onReasoning' | 'waitMs' | 'silenceMs'
  >
>();
held<Same<Names<ai.ToolsForOptions>, 'names' | 'refusals' | 'alias' | 'approvals'>>();
held<Same<Names<ai.SessionTools<object>>, 'tools' | 'middleware' | 'toolApproval' | 'receipts'>>();
held<
  Same<
    Names<otlp.PushOptions>,
    'endpoint' | 'headers' | 'service' | 'parent' | 'content' | 'logs' | 'everyMs' | 'signal'
  >
>();
held<Same<Names<otlp.PushedTelemetry>, 'spans' | 'logs' | 'lost' | 'problem'>>();
held<Same<Names<react.RuntimeSnapshot>, 'status' | 'runtime' | 'error'>>();
held<Same<Names<react.RunSnapshot>, 'view' | 'question' | 'error' | 'step' | 'pause' | 'resume' | 'abort' | 'say'>>();
held<Same<Names<react.RecordsSnapshot>, 'records' | 'count' | 'status' | 'error'>>();
held<Same<page.DoorKind, 'file' | 'mcp' | 'openai' | 'otlp'>>();
// The same run in the page and in Node; a page's runtime only opens in another place.
held<Same<ReturnType<typeof page.openRuntime>, ReturnType<typeof node.openRuntime>>>();
held<Same<typeof page.fromScript, typeof node.fromScript>>();

const NOTE: node.CapabilityDefinition = node.defineCapability({
  name: 'note.keep',
  version: '1.0.0',
  description: 'Keeps a note.',
  effect: 'write',
  args: { type: 'object', required: ['text'], additionalProperties: false, properties: { text: { type: 'string' } } },
  source: 'export default ({ text }) => text.length;',
});
const call = { next_step: { tool: 'note.keep', arguments: { text: 'é' }, goal: 'keep' } };

describe('the surface that other programs rely on', () => {
  test('the entries export the names of the surface', () => {
    const has = (entry: object, names: string) => names.split(' ').filter((name) => !(name in entry));
    expect(has(node, 'openRuntime defineCapability fromScript fromPerson fromOpenAI SallyportError')).toEqual([]);
    expect(has(node, 'createValidator createSandbox verifyExport replayExport')).toEqual([]);
    expect(has(core, 'decode normalizeText contentHash sectionId extractSections parseSlice applySlice')).toEqual([]);
    expect(has(core, 'buildIndex canonicalize merkleRoot proveInclusion checkInclusion')).toEqual([]);
    expect(has(core, 'proveConsistency checkConsistency')).toEqual([]);
  });

  test('the entry for the AI SDK has two functions', () => {
    expect(Object.keys(ai).sort()).toEqual(['fromLanguageModel', 'toolsFor']);
  });

  test('the entry for OTLP has one function', () => {
    expect(Object.keys(otlp)).toEqual(['pushTelemetry']);
  });

  test('the entry for React has three hooks', () => {
    expect(Object.keys(react).sort()).toEqual(['useRecords', 'useRun', 'useRuntime']);
  });

  test('a run works from its options to its export', async () => {
    const asked: node.ApprovalRequest[] = [];
    const rt = await node.openRuntime({
      store: 'memory',
      capabilities: [NOTE],
      grants: [{ capability: 'note.keep', mode: 'ask', where: {}, uses: 1, expires: Date.now() + 60_000 }],
      approve: async (request) => {
        asked.push(request);
        return { approved: true };
      },
    });
    const later = await rt.capabilities.register({ ...NOTE, name: 'note.later' });
    expect([later.enabled, await rt.capabilities.enable('note.later')]).toEqual([false, undefined]);
    await rt.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# A\n') }]);
    await rt.content.define({
      symbol_id: '@A/FILE',
      target_type: 'FILE',
      target_ref: 'a.md',
      default_slice_policy: 'head(1)',
    });
    expect([(await rt.content.sections()).length, (await rt.content.symbols()).length]).toEqual([1, 1]);
    const run = rt.start({
      dialect: 'xct',
      task: 'Keep it.',
      model: node.fromScript([
        'no JSON',
        new TextEncoder().encode(JSON.stringify(call)),
        { done: true, message: 'Kept.' },
      ]),
      limits: { steps: 9, refusalsInRow: 3, wallMs: 60_000, proposalBytes: 4096 },
      budgets: { max_symbols: 1 },
    });
    const seqs: number[] = [];
    for await (const { run_seq } of run.records()) seqs.push(run_seq);
    const end = await run.result;
    expect(end).toEqual({
      state: 'completed',
      message: 'Kept.',
      steps: 3,
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(asked).toEqual([
      {
        run_id: run.id,
        step_id: expect.any(String),
        capability: 'note.keep',
        capability_hash: expect.any(String),
        effect: 'write',
        args: '{"text":"é"}',
        digest: expect.any(String),
        reason: expect.any(String),
        reason_code: 'grant',
        editable: true,
      },
    ]);
    const exported = await rt.ledger.export(run.id);
    const report = await node.verifyExport(exported, { anchor: { count: seqs.length, head: end.head } });
    expect(Object.keys(report).sort()).toEqual(['checks', 'head', 'ok', 'records', 'root']);
    expect(report.checks.map(({ id, status }) => `${id}:${status}`)).toEqual([
      ...['form:pass', 'hashes:pass', 'links:pass', 'anchor:pass', 'decisions:pass', 'replay:not_run'],
    ]);
    const names = ['step', 'run', 'pause', 'resume', 'abort', 'say', 'telemetry'] as const;
    expect(names.filter((name) => typeof run[name] !== 'function')).toEqual([]);
    const exhausted = rt.start({ dialect: 'femtoclaw', task: 'Say it.', model: node.fromScript([]) });
    expect(await exhausted.result).toMatchObject({ state: 'failed', code: 'model_exhausted' });
    await rt.close();
  });

  test('misuse throws a SallyportError with a code', async () => {
    const error = await node
      .openRuntime({ grants: [{ capability: 'nobody', mode: 'allow' }] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(node.SallyportError);
    expect(error).toMatchObject({
      code: 'unknown_capability',
      class: expect.any(String),
      message: expect.any(String),
      details: {},
    });
  });

  test('a validator gives verdicts of the documented shape', async () => {
    const validator = await node.createValidator({ dialect: 'xct', capabilities: [NOTE] });
    const verdict = (value: unknown) => validator.validate(new TextEncoder().encode(JSON.stringify(value)));
    expect(await verdict(call)).toEqual({
      accepted: true,
      kind: 'call',
      capability: 'note.keep',
      version: '1.0.0',
      capability_hash: expect.any(String),
      args: { text: 'é' },
      goal: 'keep',
    });
    expect(await verdict({ done: true, message: 'm' })).toEqual({ accepted: true, kind: 'finish', message: 'm' });
    const refused = await verdict({ next_step: { tool: 'note.keep', arguments: {}, goal: '' } });
    expect(Object.keys(refused).sort()).toEqual(['accepted', 'class', 'code', 'details', 'message', 'pointer', 'step']);
    await validator.close();
  });

  test('a sandbox gives results of the documented shape', async () => {
    const sandbox = await node.createSandbox({ limits: { fuel: 1_000_000 } });
    const loaded = await sandbox.load({
      name: 'twice',
      source: 'export default async (n, powers) => { console.log(n); return await powers.twice(n); };',
      powers: ['twice'],
    });
    const options = { powers: { twice: async (n: number) => 2 * n }, seed: 1, now: 2, heapHash: true };
    expect(await loaded.call(21, options)).toEqual({
      ok: true,
      value: 42,
      fuel: expect.any(Number),
      console: [{ level: 'log', text: '21' }],
      powerCalls: [{ name: 'twice', args: [21], result: 42 }],
      heapHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const threw = await loaded.call(1);
    expect(threw).toMatchObject({ ok: false, kind: expect.any(String), fuel: expect.any(Number) });
    await expect(sandbox.load({ name: 'x', source: 'let = ;' })).rejects.toMatchObject({ line: 1 });
    await sandbox.close();
  });

  test('the functions of the core give results of the documented shape', () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(core.decode(bytes('{"a":1}'))).toEqual({ ok: true, value: { a: 1 } });
    expect(core.decode(bytes('[[1]]'), { ...core.DECODE_LIMITS, depth: 1 })).toMatchObject({ ok: false });
    expect(core.normalizeText(bytes('a\r\n'))).toEqual({ ok: true, value: 'a\n' });
    expect(core.applySlice('a\nb\n', 'head(1)')).toEqual({
      ok: true,
      value: { text: 'a\n', content_hash: core.contentHash('a\n'), bytes: 2 },
    });
    const index = core.buildIndex([{ path: 'a.md', bytes: bytes('# A\n') }]);
    const sections = core.extractSections('a.md', '# A\n');
    expect(index).toEqual({
      ok: true,
      value: { sections: sections.ok && sections.value, index_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const leaves = ['a', 'b', 'c'].map(bytes);
    const [old, root] = [core.merkleRoot(leaves.slice(0, 2)), core.merkleRoot(leaves)];
    const leaf = leaves[1] as Uint8Array;
    expect(core.checkInclusion({ leaf, index: 1, size: 3, proof: core.proveInclusion(leaves, 1), root })).toBe(true);
    const proof = core.proveConsistency(leaves, 2);
    expect(core.checkConsistency({ oldSize: 2, oldRoot: old, size: 3, root, proof })).toBe(true);
    expect(core.checkConsistency({ oldSize: 2, oldRoot: root, size: 3, root, proof: [] })).toBe(false);
  });
});
