import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Grant, makeGrant } from '../../core/capability/policy.ts';
import type { LedgerRecord } from '../../core/index.ts';
import type { ApprovalRequest, Runtime, Session } from '../../workers/api.ts';
import { deferred } from '../../workers/async.ts';
import { defineCapability, defineCodeTool, defineTool, fromScript, type NodeOptions } from '../../workers/node.ts';
import { rewrite } from '../core/replay/rewrite.ts';
import { expectReplayed, verified } from './replayed.ts';
import { openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;
const MAILS = [{ subject: 'Lunch', text: 'secret: 12:30?' }];
const mail = defineTool({ ...common, name: 'mail.search', effect: 'read', args: {}, run: () => MAILS });
const seen: unknown[] = [];
const file = defineTool({
  ...common,
  name: 'file.put',
  effect: 'write',
  labels: [],
  args: TEXT,
  run: ({ text }) => (seen.push(text), 'ok'),
});
const send = defineTool({
  ...common,
  name: 'mail.send',
  effect: 'egress',
  labels: [],
  args: TEXT,
  run: ({ text }) => (seen.push(text), 'sent'),
});
const upper = defineCapability({
  ...common,
  name: 'upper',
  effect: 'pure',
  args: TEXT,
  run: ({ text }) => text.toUpperCase(),
});
const tools = [mail, file, send];
/** Looks up a mail, says what it does, and does with the text what its caller asks for. */
const forward = defineCapability({
  ...common,
  name: 'forward',
  effect: 'read',
  labels: [],
  args: {
    type: 'object',
    properties: { to: { type: 'string' }, end: { enum: ['return', 'throw', 'spin'] } },
    required: ['to', 'end'],
    additionalProperties: false,
  },
  tools: ['mail.search', 'file.put', 'mail.send'],
  limits: { fuel: 2_000_000 },
  run: async ({ to, end }, powers) => {
    await powers.tools.call('file.put', { text: 'begun' });
    const [first] = (await powers.tools.call('mail.search', {})) as unknown as typeof MAILS;
    console.log(first?.text);
    const said = await powers.tools
      .call(to, { text: first?.text ?? '' })
      .catch((error: unknown) => (error as Error).name);
    if (end === 'throw') throw new Error(first?.text);
    if (end === 'spin') for (;;);
    return [said, first?.subject ?? null];
  },
});
const program = defineCodeTool({ name: 'program', tools });
const ANY = ['private', 'untrusted'] as const;
const FORWARDED = ['file.put', 'forward', 'mail.search', 'mail.send'];
const grants: NonNullable<NodeOptions['grants']> = [
  { capability: 'mail.search', mode: 'allow' },
  { capability: 'file.put', mode: 'allow', accepts: { '/text': ANY } },
  { capability: 'mail.send', mode: 'allow' },
  { capability: 'upper', mode: 'allow' },
  { capability: 'forward', mode: 'allow' },
  { capability: 'program', mode: 'allow' },
];

let open: Runtime | undefined;
const asked: ApprovalRequest[] = [];
afterEach(async () => {
  await open?.close();
  seen.length = 0;
  asked.length = 0;
});

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({
    tools,
    capabilities: [upper, forward, program],
    grants,
    hold: 'untrusted',
    approve: async (question) => {
      asked.push(question);
      return { approved: true, standing: { args: 'any' } };
    },
    ...more,
  });
  return open;
}

/** The question about this capability, once it is put. */
function askedFor({ run }: Session, name: string): Promise<ApprovalRequest> {
  return new Promise((resolve) => {
    run.watch(({ pending }) => pending?.capability === name && resolve(pending));
  });
}

const observations = (records: readonly LedgerRecord[]) =>
  records.flatMap(({ kind, body }) => (kind === 'observation' ? [body.status] : []));

describe('held values', () => {
  test('a session passes on what its caller never reads', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    const found = await session.call('mail.search', {});
    expect(found).toEqual({
      ok: true,
      held: 'h1',
      receipt: { run_id: session.run.id, step_id: found.receipt.step_id },
    });
    await session.call('file.put', { text: { $held: 'h1', at: '/0/text' } });
    const shouted = await session.call('upper', { text: { $held: 'h1', at: '/0/subject' } });
    expect([seen, asked.length]).toEqual([['secret: 12:30?'], 0]);
    const wrong = await session.call('upper', { text: { $held: 'h1' } });
    expect([shouted.held, wrong.held]).toEqual(['h3', 'h4']);
    expect(await session.call('upper', { text: { $held: 'h9' } })).toMatchObject({
      ok: false,
      refusal: { code: 'held_unknown' },
    });
    expect(await session.preview('upper', { text: { $held: 'h1' } })).toEqual({ held: true });
    await session.close();
    const rows = await runtime.held.list(session.run.id);
    expect(rows.map(({ handle, status, sources, steps }) => [handle, status, sources, steps])).toEqual([
      ['h1', 'success', ['mail.search'], []],
      ['h2', 'success', ['file.put', 'mail.search'], [1]],
      ['h3', 'success', ['mail.search', 'upper'], [1]],
      ['h4', 'error', ['mail.search', 'upper'], [1]],
    ]);
    expect(await runtime.held.open(session.run.id, 'h1')).toMatchObject({
      ok: true,
      value: { outcome: { ok: true, value: MAILS }, labels: ANY },
    });
    expect(await runtime.held.open(session.run.id, 'h3')).toMatchObject({ value: { outcome: { value: 'LUNCH' } } });
    expect(await runtime.held.open(session.run.id, 'h4')).toMatchObject({
      value: { outcome: { ok: false, refusal: { code: 'arguments_schema' } } },
    });
    expect(await runtime.held.open(session.run.id, 'h9')).toMatchObject({
      ok: false,
      refusal: { code: 'held_unknown' },
    });
    expect((await runtime.ledger.verify(session.run.id)).ok).toBe(true);
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
    expect((await verified(await runtime.ledger.export(session.run.id))).ok).toBe(true);
    expect(await runtime.ledger.export(session.run.id)).not.toContain('secret');
  });

  test.each(['xct', 'femtoclaw'] as const)('a run in the form %s tells its model handles alone', async (dialect) => {
    const runtime = await opened();
    const call = (tool: string, args: object) =>
      dialect === 'xct' ? { next_step: { tool, arguments: args, goal: 'g' } } : { tool_call: { tool, args } };
    const last = dialect === 'xct' ? { done: true, message: 'done' } : { message: { content: 'done' } };
    const script = fromScript([
      call('mail.search', {}),
      call('mail.send', { text: { $held: 'h1', at: '/0/text' } }),
      call('mail.send', { text: 'plain' }),
      last,
    ]);
    const requests: string[] = [];
    const model = {
      ...script,
      propose: (...given: Parameters<typeof script.propose>) => {
        requests.push(JSON.stringify(given[0]));
        return script.propose(...given);
      },
    };
    const run = runtime.start({ dialect, task: 't', model });
    expect((await run.result).state).toBe('completed');
    expect(requests.join()).not.toContain('secret');
    expect(requests.at(-1)).toContain('$held');
    expect(seen).toEqual(['secret: 12:30?', 'plain']);
    // one question, about the value that leaves; the words of the model itself ask nobody
    expect(asked.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('private value that the model has not read'),
    ]);
    const records = await runtime.ledger.records(run.id);
    expect(observations(records)).toEqual(['success', 'success', 'success']);
    expect(records[0]?.body).toMatchObject({ hold: 'untrusted', holding: true });
    await expectReplayed(await runtime.ledger.export(run.id, { secrets: true }));
  });

  test('the words of a model show the values that they name', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail.search', {});
    await session.call('upper', { text: { $held: 'h1' } });
    await session.close();
    const { id } = session.run;
    const held = (text: string, more: object) => ({ kind: 'held', text, handle: text.slice(2, 4), ...more });
    const known = { labels: ANY, sources: ['mail.search'] };
    expect(await runtime.held.parts(id, 'First: {{h1/0/subject}}. {{h2}} {{h1/7}} {{h9}}{{h1 }}')).toEqual([
      { kind: 'text', text: 'First: ' },
      held('{{h1/0/subject}}', { at: '/0/subject', value: 'Lunch', ...known }),
      { kind: 'text', text: '. ' },
      held('{{h2}}', { at: '', missing: 'failed', labels: ANY, sources: ['mail.search', 'upper'] }),
      { kind: 'text', text: ' ' },
      held('{{h1/7}}', { at: '/7', missing: 'beyond', ...known }),
      { kind: 'text', text: ' ' },
      held('{{h9}}', { at: '', missing: 'unknown', labels: [], sources: [] }),
      { kind: 'text', text: '{{h1 }}' },
    ]);
    expect(await runtime.held.parts(id, 'no handle')).toEqual([{ kind: 'text', text: 'no handle' }]);
    // the values of another run are not shown
    const other = runtime.openSession();
    await other.call('upper', { text: 'a' });
    await other.close();
    expect(await runtime.held.parts(other.run.id, '{{h1/0/subject}}')).toMatchObject([{ missing: 'unknown' }]);
  });

  test('a replay says where a held value was erased', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail.search', {});
    await session.call('file.put', { text: { $held: 'h1', at: '/0/text' } });
    const records = await runtime.ledger.records(session.run.id);
    const receipt = records.find(({ kind }) => kind === 'receipt')?.body as Extract<
      LedgerRecord,
      { kind: 'receipt' }
    >['body'];
    await session.close();
    await runtime.ledger.erase(session.run.id, { payloads: [receipt.evidence.held?.outcome.sha256 ?? ''] });
    expect(await runtime.held.open(session.run.id, 'h1')).toMatchObject({
      value: { outcome: { ok: true, value: undefined } },
    });
    expect(await runtime.held.parts(session.run.id, '{{h1}}')).toMatchObject([{ missing: 'erased' }]);
    const report = await verified(await runtime.ledger.export(session.run.id, { secrets: true }));
    expect(report.ok).toBe(true);
    const decisions = report.checks.find(({ id }) => id === 'decisions');
    // of the step that read it the text of the result, and of the step that took it the value
    expect(decisions).toMatchObject({ status: 'pass', skipped: { count: 2 } });
  });

  test('a no to a question about held values is the outcome of the handle', async () => {
    const runtime = await opened({ approve: undefined as never });
    const session = runtime.openSession({ questions: 'wait' });
    await session.call('mail.search', {});
    const sending = session.call('mail.send', { text: { $held: 'h1', at: '/0/text' } });
    await new Promise<void>((resolve) => {
      session.run.watch(({ pending }) => pending && resolve());
    });
    const { pending } = session.run.view;
    expect(pending?.args).toBe('{"text":"secret: 12:30?"}');
    expect(pending?.carries).toEqual([{ pointer: '/text', labels: ANY, handle: 'h1', sources: ['mail.search'] }]);
    await session.run.answer(pending?.digest ?? '', { approved: false, reason: 'no' });
    expect(await sending).toMatchObject({ ok: true, held: 'h2' });
    await session.close();
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('an open question about held values is put again after a restart, with the values', async () => {
    const store = mkdtempSync(join(tmpdir(), 'held-'));
    const first = await opened({ store: { directory: store }, approve: undefined as never });
    const session = first.openSession({ questions: 'wait' });
    await session.call('mail.search', {});
    session.call('mail.send', { text: { $held: 'h1', at: '/0/text' } }).catch(() => undefined);
    await new Promise<void>((resolve) => {
      session.run.watch(({ pending }) => pending && resolve());
    });
    const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
    cpSync(store, copy, { recursive: true });
    await first.close();
    // the copy is of a process that is gone
    for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
    const second = await opened({ store: { directory: copy }, approve: undefined as never });
    const again = second.openSession({ resume: session.run.id, questions: 'wait' });
    await new Promise<void>((resolve) => {
      again.run.watch(({ pending }) => pending && resolve());
    });
    expect(again.run.view.pending?.args).toBe('{"text":"secret: 12:30?"}');
    await again.run.answer(again.run.view.pending?.digest ?? '', { approved: true });
    expect(await again.resumed).toMatchObject({ ok: true, held: 'h2' });
    expect(seen).toEqual(['secret: 12:30?']);
    expect((await again.call('mail.search', {})).held).toBe('h3');
    await again.close();
    await expectReplayed(await second.ledger.export(session.run.id, { secrets: true }));
    rmSync(store, { recursive: true });
    rmSync(copy, { recursive: true });
  });

  test('a program sends with the labels of all that it has received', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    const other = runtime.openSession();
    const sent = await session.call('forward', { to: 'mail.send', end: 'return' });
    const filed = await other.call('forward', { to: 'file.put', end: 'return' });
    expect([sent.held, filed.held]).toEqual(['h1', 'h1']);
    expect(seen).toEqual(['begun', 'secret: 12:30?', 'begun', 'secret: 12:30?']);
    // the text is accepted in the file, and that a file is written by the will of a mail is not
    const received = (...sources: readonly string[]) => [{ pointer: '', labels: ANY, sources }];
    expect(asked.map(({ capability, carries, args }) => [capability, carries, args])).toEqual([
      ['mail.send', received('mail.search'), '{"text":"secret: 12:30?"}'],
      ['file.put', received('mail.search'), '{"text":"secret: 12:30?"}'],
    ]);
    expect(asked[0]?.reason).toContain('private value that the model has not read');
    // the tools of the embedding program are one source: whatever they answer may come from the mail by now
    await other.call('forward', { to: 'file.put', end: 'return' });
    expect(asked.slice(2).map(({ capability, carries }) => [capability, carries])).toEqual([
      ['mail.search', received('file.put')],
    ]);
    await session.close();
    await other.close();
    await expectReplayed(await runtime.ledger.export(other.run.id, { secrets: true }));
    expect(await runtime.held.open(session.run.id, 'h1')).toMatchObject({
      value: { outcome: { ok: true, value: ['sent', 'Lunch'] }, labels: ANY, sources: FORWARDED },
    });
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a place that is accepted asks nobody inside a program', async () => {
    const accepts = { '': ANY, '/text': ANY };
    const runtime = await opened({
      grants: [
        ...grants.filter((each) => each.capability !== 'file.put'),
        { capability: 'file.put', mode: 'allow', accepts },
      ],
    });
    const session = runtime.openSession();
    await session.call('forward', { to: 'file.put', end: 'return' });
    expect([seen, asked.length]).toEqual([['begun', 'secret: 12:30?'], 0]);
    await session.close();
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a question of a program names the argument that lacks, where the call itself is accepted', async () => {
    const runtime = await opened({
      grants: [
        ...grants.filter((each) => each.capability !== 'file.put'),
        { capability: 'file.put', mode: 'allow', accepts: { '': ANY } },
      ],
    });
    const session = runtime.openSession();
    await session.call('forward', { to: 'file.put', end: 'return' });
    expect(asked.map(({ carries }) => carries)).toEqual([
      [{ pointer: '/text', labels: ANY, sources: ['mail.search'] }],
    ]);
    await session.close();
  });

  test('a replay finds a program that sent what it had received, and nobody was asked', async () => {
    const runtime = await opened({ approve: async (question) => (asked.push(question), { approved: true }) });
    const session = runtime.openSession();
    await session.call('forward', { to: 'file.put', end: 'return' });
    await session.close();
    const whole = await runtime.ledger.export(session.run.id, { secrets: true });
    expect(asked.length).toBe(1);
    const unasked = rewrite(whole, ({ kind, body }) => (kind === 'approval' || kind === 'parked' ? undefined : body));
    const decisions = (await verified(unasked)).checks.find(({ id }) => id === 'decisions');
    expect(decisions).toMatchObject({
      status: 'fail',
      first: { message: expect.stringContaining('nobody was asked') },
    });
    // a standing answer says what it was about
    const standing = await opened();
    const other = standing.openSession();
    await other.call('forward', { to: 'file.put', end: 'return' });
    await other.close();
    const kept = await standing.ledger.export(other.run.id, { secrets: true });
    const narrowed = rewrite(kept, ({ body }) => {
      if (!('grant' in body) || typeof body['grant'] !== 'object') return body;
      const { id: _, capability: name, capability_hash: hash, ...terms } = body['grant'] as Grant;
      return { ...body, grant: makeGrant({ name, hash }, { ...terms, handled: [] }) };
    });
    const checked = (await verified(narrowed)).checks.find(({ id }) => id === 'decisions');
    expect(checked).toMatchObject({
      first: { message: expect.stringContaining('not about what the call had received') },
    });
  });

  test('errors, endless loops and the console of a program are told as its handle', async () => {
    const runtime = await opened();
    const told: string[] = [];
    const session = runtime.openSession();
    const calls = [];
    for (const end of ['return', 'throw', 'spin']) calls.push(await session.call('forward', { to: 'file.put', end }));
    for (const { receipt: _, ...each } of calls) told.push(JSON.stringify(each));
    expect(told).toEqual(['{"ok":true,"held":"h1"}', '{"ok":true,"held":"h2"}', '{"ok":true,"held":"h3"}']);
    // it ran with held values: what it does from now on is held, whatever it uses
    await session.close();
    const rows = await runtime.held.list(session.run.id);
    expect(rows.map(({ status }) => status)).toEqual(['success', 'error', 'error']);
    const codes = await Promise.all(['h2', 'h3'].map((each) => runtime.held.open(session.run.id, each)));
    expect(codes).toMatchObject(
      ['capability_threw', 'fuel_exhausted'].map((code) => ({ value: { outcome: { refusal: { code } } } })),
    );
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a no to a question inside a program is an error to the program alone', async () => {
    const runtime = await opened({ approve: undefined as never });
    const session = runtime.openSession({ questions: 'wait' });
    const sending = session.call('forward', { to: 'mail.send', end: 'return' });
    await new Promise<void>((resolve) => {
      session.run.watch(({ pending }) => pending && resolve());
    });
    const { pending } = session.run.view;
    expect(pending).toMatchObject({ capability: 'mail.send', args: '{"text":"secret: 12:30?"}' });
    await session.run.answer(pending?.digest ?? '', { approved: false, reason: 'no' });
    expect(await sending).toMatchObject({ ok: true, held: 'h1' });
    await session.close();
    expect([seen, await runtime.held.open(session.run.id, 'h1')]).toMatchObject([
      ['begun'],
      { value: { outcome: { ok: true, value: ['approval_denied', 'Lunch'] } } },
    ]);
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a code tool computes on values that its caller never reads', async () => {
    const runtime = await opened();
    const session = runtime.openSession();
    await session.call('mail.search', {});
    const values = { mail: { $held: 'h1', at: '/0' }, plain: { $other: 'h1' } };
    const pure = await session.call('program', {
      program: 'return { length: values.mail.text.length, plain: values.plain, keys: Object.keys(values) }',
      values,
    });
    const writes = 'return [await tools.file.put({ text: values.mail.text }), await tools.mail.search()]';
    const filed = await session.call('program', { program: writes, values });
    expect([pure, filed]).toMatchObject([{ held: 'h2' }, { held: 'h3' }]);
    // a read that follows from a held value asks, too: its arguments leave the sandbox
    expect([seen, asked.map(({ capability }) => capability)]).toEqual([
      ['secret: 12:30?'],
      ['file.put', 'mail.search'],
    ]);
    // without values it holds by its tools
    expect((await session.call('program', { program: 'return typeof values' })).held).toBe('h4');
    expect(await session.call('program', { program: 'return 1', values: 7 })).toMatchObject({
      ok: false,
      refusal: { code: 'arguments_schema' },
    });
    await session.close();
    expect(await runtime.held.open(session.run.id, 'h2')).toMatchObject({
      value: { outcome: { value: { length: 14, plain: { $other: 'h1' }, keys: ['mail', 'plain'] } }, steps: [1] },
    });
    expect(await runtime.held.open(session.run.id, 'h4')).toMatchObject({ value: { outcome: { value: 'undefined' } } });
    await expectReplayed(await runtime.ledger.export(session.run.id, { secrets: true }));
  });

  test('a grant of a code tool may accept values by name', async () => {
    const runtime = await opened();
    const accepting = (place: string) =>
      runtime.grants.grant({ capability: 'program', mode: 'allow', accepts: { [place]: ANY } });
    expect((await accepting('/values/mail')).accepts).toEqual({ '/values/mail': ANY });
    await expect(accepting('/mail')).rejects.toMatchObject({ code: 'option_invalid' });
  });

  test('a code tool of a run that cannot hold takes no values', async () => {
    const runtime = await opened({ hold: undefined as never, tools: [mail, file, send] });
    const session = runtime.openSession();
    const values = { mail: { $held: 'h1' } };
    expect(await session.call('program', { program: 'return 1', values })).toMatchObject({
      refusal: { code: 'arguments_schema' },
    });
    expect(await session.call('program', { program: 'const values = 7; return values' })).toMatchObject({ value: 7 });
    await session.close();
  });

  // a call is parked for its first question: behind a second one the held value is in the records alone
  test.each(['allow', 'ask'] as const)(
    'a program goes on after a restart with what it had received (%s)',
    async (mode) => {
      const store = mkdtempSync(join(tmpdir(), 'held-'));
      const terms = { approve: undefined as never, grants: [{ capability: 'mail.search', mode }, ...grants.slice(1)] };
      const first = await opened({ ...terms, store: { directory: store } });
      const session = first.openSession({ questions: 'wait' });
      const cut = session.call('forward', { to: 'mail.send', end: 'return' });
      if (mode === 'ask') await session.run.answer((await askedFor(session, 'mail.search')).digest, { approved: true });
      const { digest } = await askedFor(session, 'mail.send');
      const copy = mkdtempSync(join(tmpdir(), 'held-copy-'));
      cpSync(store, copy, { recursive: true });
      // the process that is not cut off comes to the same outcome
      await session.run.answer(digest, { approved: true });
      await cut;
      const whole = await first.held.list(session.run.id);
      await first.close();
      for (const name of readdirSync(copy)) if (name.includes('lock')) rmSync(join(copy, name), { recursive: true });
      const second = await opened({ ...terms, store: { directory: copy } });
      const again = second.openSession({ resume: session.run.id, questions: 'wait' });
      const question = await askedFor(again, 'mail.send');
      expect(question.carries).toEqual([{ pointer: '', labels: ANY, sources: ['mail.search'] }]);
      await again.run.answer(question.digest, { approved: true });
      expect(await again.resumed).toMatchObject({ ok: true, held: 'h1' });
      expect(await second.held.list(session.run.id)).toEqual(whole);
      await again.close();
      await expectReplayed(await second.ledger.export(session.run.id, { secrets: true }));
      rmSync(store, { recursive: true });
      rmSync(copy, { recursive: true });
    },
  );

  test('a grant that accepts at no place of the arguments is refused', async () => {
    const runtime = await opened();
    await expect(
      runtime.grants.grant({ capability: 'mail.send', mode: 'allow', accepts: { '/nothing': ['private'] } }),
    ).rejects.toMatchObject({ code: 'option_invalid' });
  });

  test('a preview says nothing of what a program that holds has used so far', async () => {
    const previews = await Promise.all(
      [true, false].map(async (isFull) => {
        const [reached, left] = [deferred<void>(), deferred<void>()];
        const own = { ...common, name: 'slow', effect: 'read', labels: [], origin: 'mcp:slow', args: {} } as const;
        const slow = defineTool({ ...own, run: () => (reached.resolve(), left.promise.then(() => 1)) });
        const inbox = defineTool({ ...common, name: 'inbox', effect: 'read', args: {}, run: () => isFull });
        const keep = defineCapability({
          ...common,
          name: 'keep',
          effect: 'read',
          labels: [],
          args: {},
          tools: ['inbox', 'file.put', 'slow'],
          source: `export default async (_, { tools }) => {
            if (await tools.call('inbox', {})) await tools.call('file.put', { text: 'full' });
            return tools.call('slow', {});
          };`,
        });
        const accepts = { '': ANY, '/*': ANY };
        const runtime = await openRuntime({
          ...{ tools: [inbox, slow, file], capabilities: [keep], hold: 'untrusted' },
          grants: [
            ...['inbox', 'keep'].map((capability) => ({ capability, mode: 'allow' as const })),
            { capability: 'slow', mode: 'allow', accepts: { '': ANY } },
            { capability: 'file.put', mode: 'allow', uses: 1, accepts },
            { capability: 'file.put', mode: 'ask' },
          ],
        });
        const session = runtime.openSession();
        const called = session.call('keep', {});
        await reached.promise;
        const during = await session.preview('file.put', { text: 'x' });
        left.resolve();
        expect((await called).held).toBe('h1');
        const behind = await session.preview('file.put', { text: 'x' });
        await runtime.close();
        return [during, behind];
      }),
    );
    const asks = { decision: 'REQUIRES_APPROVAL', reason: 'grant' };
    expect(previews).toEqual([
      [asks, asks],
      [asks, asks],
    ]);
    expect(seen).toEqual(['full']);
    seen.length = 0;
  });
});
