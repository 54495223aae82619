import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExport, verifyExport } from '../../core/index.ts';
import type { ApprovalAnswer, OpenQuestion, Run, Runtime, RuntimeOptions } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { Questions } from '../../workers/bridges/mcp/gateway/questions.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { runCommand } from '../../workers/node/command/command.ts';
import { verify } from '../../workers/node/command/verify.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { fromScript } from '../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { makePasskey, ORIGIN, type Passkey } from '../authenticator.ts';
import { changesOf, otherValuesOf } from '../core/replay/changes.ts';
import { rewrite } from '../core/replay/rewrite.ts';
import { signed } from '../core/replay/rich-runs.ts';
import { faultsOf } from './crash/table.ts';
import { replayed, verified } from './replayed.ts';
import { forChecks, forRuns } from './shared.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-signed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let ada: Passkey;
let bob: Passkey;
beforeAll(async () => {
  [ada, bob] = [await makePasskey(), await makePasskey('EdDSA')];
});

const call = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'try' } });
const DONE = { done: true, message: 'done' };

/** A runtime over this log, as another process opens it. Its tool counts its calls. */
async function opened(of: number, log: MemoryLog = emptyLog(), options: RuntimeOptions = {}) {
  const sent: string[] = [];
  const ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const by = Object.entries({ Ada: ada, Bob: bob }).map(([name, { key }]) => ({ name, key, origin: ORIGIN }));
  const tool = { name: 'send', description: 'Sends.', args: { type: 'object' }, effect: 'egress', version: '1.0.0' };
  const runtime = await openClient(kernel, async () => localAuditor(forChecks), {
    tools: [{ ...tool, effect: 'egress', labels: [], run: () => sent.push('sent') }],
    grants: [{ capability: 'send', mode: 'ask', signed: { by, of } }],
    ...options,
  });
  return { runtime, log, sent };
}

const start = (runtime: Runtime, calls = 1) =>
  runtime.start({ dialect: 'xct', task: 'Send it.', model: fromScript([...Array(calls).fill(call('send')), DONE]) });

async function asked(run: Run): Promise<OpenQuestion> {
  await expect.poll(() => run.view.pending).toBeDefined();
  return run.view.pending as OpenQuestion;
}

const signs = (by: Passkey, { digest, capability_hash }: OpenQuestion, more: object = {}) =>
  by.sign({ digest, definition: capability_hash, answer: 'once' }, more);

const yes = async (by: Passkey, question: OpenQuestion): Promise<ApprovalAnswer> => ({
  approved: true,
  signed: await signs(by, question),
});

describe('a question that wants a signed yes', () => {
  test('tells who has to sign, and is answered by a signature in any run', async () => {
    const { runtime, sent } = await opened(1);
    const run = start(runtime);
    const question = await asked(run);
    expect(question.signed).toMatchObject({ of: 1, by: [{ name: 'Ada' }, { name: 'Bob' }], parts: [] });
    await runtime.answerSigned(question.digest, await signs(bob, question));
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(sent).toEqual(['sent']);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });

  test('stays open after an answer that does not count, and the answerer hears the code', async () => {
    const { runtime, sent } = await opened(1);
    const run = start(runtime);
    const question = await asked(run);
    const { digest } = question;
    const right = await signs(ada, question);
    const said: readonly (readonly [ApprovalAnswer, string])[] = [
      [{ approved: true, via: 'gesture' }, 'assertion_missing'],
      [
        { approved: true, signed: { ...right, signature: (await signs(ada, question)).signature.slice(0, 8) } },
        'assertion_form',
      ],
      [
        { approved: true, signed: { ...right, signature: (await signs(await makePasskey(), question)).signature } },
        'assertion_signature',
      ],
      [{ approved: true, signed: await signs(ada, question, { origin: 'http://localhost:1' }) }, 'assertion_origin'],
      [{ approved: true, signed: right, standing: { args: 'any' } }, 'assertion_challenge'],
      [{ approved: true, signed: right, via: 'authorizer' }, 'option_invalid'],
    ];
    for (const [answer, code] of said) await expect(run.answer(digest, answer)).rejects.toMatchObject({ code });
    await expect(runtime.answerSigned('0'.repeat(64), right)).rejects.toMatchObject({ code: 'question_unknown' });
    expect(sent).toEqual([]);
    await run.answer(digest, { approved: true, signed: right });
    expect(await run.result).toMatchObject({ state: 'completed' });
    expect(sent).toEqual(['sent']);
  });

  test('takes one of two answers at once, and records the other', async () => {
    const { runtime, sent } = await opened(1);
    // the second question keeps the run open
    const run = start(runtime, 2);
    const question = await asked(run);
    const answers = await Promise.allSettled([
      run.answer(question.digest, await yes(ada, question)),
      runtime.answerSigned(question.digest, await signs(bob, question)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'question_answered' },
    });
    await expect.poll(() => run.view.pending?.digest).not.toBe(question.digest);
    await run.answer((await asked(run)).digest, { approved: false, reason: '' });
    await run.result;
    expect(sent).toEqual(['sent']);
    const records = await runtime.ledger.records(run.id);
    expect(records.filter(({ kind, body }) => kind === 'rejection' && body.event === 'answer').length).toBe(1);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });

  test('is put to an approver again for the next name, and an approver that cannot sign says no', async () => {
    const asks: number[] = [];
    const both = await opened(2, emptyLog(), {
      approve: async (question) => {
        asks.push(question.signed?.parts.length ?? -1);
        return yes(asks.length === 1 ? ada : bob, question);
      },
    });
    expect(await start(both.runtime).result).toMatchObject({ state: 'completed' });
    expect([asks, both.sent]).toEqual([[0, 1], ['sent']]);

    const { runtime, sent } = await opened(1, emptyLog(), { approve: async () => ({ approved: true }) });
    const run = start(runtime);
    await run.result;
    expect(sent).toEqual([]);
    const records = await runtime.ledger.records(run.id);
    expect(records.some(({ kind, body }) => kind === 'approval' && 'via' in body && body.via === 'failed')).toBe(true);
  });
});

test('the page of the gateway keeps a question whose yes was not signed, and takes a no', async () => {
  const { runtime, sent } = await opened(1);
  const session = runtime.openSession({ questions: 'wait' });
  const questions = new Questions(
    () => undefined,
    () => undefined,
  );
  questions.follow(session);
  void questions.read(runtime);
  const result = session.call('send', {});
  await expect.poll(() => questions.open().length).toBe(1);
  const digest = questions.open()[0]?.question.digest ?? '';
  await expect(questions.answer(digest, 'once')).rejects.toMatchObject({ code: 'assertion_missing' });
  expect(questions.open().map(({ question }) => question.digest)).toEqual([digest]);
  expect(await questions.answer(digest, 'deny')).toMatchObject({ digest });
  expect(await result).toMatchObject({ ok: false });
  expect(sent).toEqual([]);
});

describe('a half-signed question', () => {
  test('keeps its part in another process, and nothing runs twice', async () => {
    const first = await opened(2);
    const run = start(first.runtime);
    const question = await asked(run);
    await run.answer(question.digest, await yes(ada, question));
    await expect.poll(() => run.view.pending?.signed?.parts.length).toBe(1);
    const recorded = async () => (await first.runtime.ledger.records(run.id)).at(-1)?.body;
    await expect.poll(recorded).toMatchObject({ event: 'part' });

    const second = await opened(2, structuredClone(first.log));
    const again = await second.runtime.resume(run.id, fromScript([DONE]));
    const open = await asked(again);
    expect(open.digest).toBe(question.digest);
    expect(open.signed?.parts).toEqual([{ name: 'Ada', answer: 'once' }]);
    await expect(again.answer(open.digest, await yes(ada, open))).rejects.toMatchObject({ code: 'assertion_repeated' });
    await again.answer(open.digest, await yes(bob, open));
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed' });
    expect([first.sent, second.sent]).toEqual([[], ['sent']]);
    expect(await faultsOf(second.runtime, run.id)).toEqual([]);
  });
});

describe('a recorded run with two signers', () => {
  let text: string;
  beforeAll(async () => {
    text = await signed();
  });

  test('verifies offline', async () => {
    const { checks } = await replayed(text);
    expect(checks.map(({ id, status }) => [id, status])).toEqual(
      ['form', 'hashes', 'links', 'anchor', 'decisions', 'replay'].map((id) => [
        id,
        id === 'anchor' ? 'not_run' : 'pass',
      ]),
    );
    const records = parseExport(text).records.flatMap((line) => (line ? [line.record] : []));
    const events = records.flatMap(({ kind, body }) => (kind === 'approval' ? [body.event] : []));
    expect(events).toEqual([1, 2, 3].flatMap(() => ['asked', 'part', 'answered']));
    const [decisions] = verifyExport(text).checks.filter(({ id }) => id === 'decisions');
    expect(decisions?.status).toBe('not_run');
  });

  // the law of unproved facts tries every change of this run
  test('fails after a change of each part of a signed yes', async () => {
    const changes = changesOf(text, otherValuesOf([text]));
    for (const name of ['key', 'client_data', 'authenticator_data', 'signature', 'name', 'counter', 'answer']) {
      const change = changes.find(({ leaf }) => leaf === `approval.part signed.${name}`)?.make();
      expect(change, name).toBeDefined();
      expect((await verified(change ?? text)).ok, name).toBe(false);
    }
  });

  test('verifies from the command line, and not with the signature of another run', async () => {
    const codeOf = async (name: string, file: string) => {
      const path = join(folder, name);
      writeFileSync(path, file);
      const quiet = { print: () => undefined, printJson: () => undefined, complain: () => undefined };
      return runCommand(verify, [path], { color: false, ...quiet, read: (from) => readFile(from) });
    };
    const other = await signed();
    const signaturesOf = (file: string) => [...file.matchAll(/"signature":"([\w-]+)"/g)].map(([, found = '']) => found);
    const forged = rewrite(text, ({ body }) => {
      const yes = (body as { signed?: object }).signed;
      return yes === undefined ? body : { ...body, signed: { ...yes, signature: signaturesOf(other)[0] } };
    });
    expect([await codeOf('right.jsonl', text), await codeOf('other.jsonl', forged)]).toEqual([0, 4]);
  });
});
