import { afterEach, describe, expect, test } from 'vitest';
import { type CheckId, CODES, type Code, type LedgerRecord, parseExport, type Report } from '../../../core/index.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { openDesk } from '../../runtime/content/desk.ts';
import { execute, message, name, OPERATIONS, put, read } from '../../runtime/content/messages.ts';
import { replayed } from '../../runtime/replayed.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { replacePayload } from './rewrite.ts';
import { call, record } from './runs.ts';

type Row = { what: (details: never) => string; todo: string };
const ROWS = Object.entries(CODES) as unknown as readonly (readonly [Code, Row])[];
const ORIGINALS = ROWS.map(([, { what, todo }]) => ({ what, todo }));
afterEach(() => ROWS.forEach(([, row], at) => Object.assign(row, ORIGINALS[at])));

/** Imitates another build: every code has another, longer text. */
function rewordAll(): void {
  for (const [code, row] of ROWS)
    Object.assign(row, { what: () => `It is ${code}, as an older build would have put it`, todo: 'Do it otherwise.' });
}

const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);
const records = (text: string): LedgerRecord[] =>
  parseExport(text).records.flatMap((line) => (line === undefined ? [] : [line.record]));

/** Hashes and values of the error replies of a run. */
function replies(text: string) {
  const { payloads } = parseExport(text);
  const decoder = new TextDecoder();
  return records(text).flatMap(({ kind, body, run_seq }) => {
    if (kind !== 'observation' || body.status !== 'error') return [];
    // A call of an unknown name may have been meant for a capability with secrets: the reply of this step has a salt.
    const { sha256, salt: length = 0 } = body.payload;
    const stored = decoder.decode(payloads.get(sha256));
    const salt = stored.slice(0, length);
    return [{ run_seq, sha256, salt, reply: JSON.parse(stored.slice(length)) as Reply }];
  });
}
interface Reply {
  readonly status: string;
  readonly message: string;
  readonly details: { readonly [name: string]: unknown };
}

async function inOtherWords(make: () => Promise<string>): Promise<string> {
  rewordAll();
  const text = await make();
  ROWS.forEach(([, row], at) => Object.assign(row, ORIGINALS[at]));
  return text;
}

const messages = async (): Promise<string> => {
  const fails = {
    name: 'text.fail',
    version: '1.0.0',
    description: 'Fails.',
    effect: 'pure',
    args: {},
    source: 'export default () => { throw new Error("no"); };',
  } as const;
  const desk = await openDesk([...OPERATIONS, { capability: 'text.fail', mode: 'allow' }], [fails]);
  await put(desk.runtime, { 'a.md': '# A\none\n' });
  await name(desk.runtime, '@x/a', 'FILE', 'a.md');
  const told = await desk.send([
    message([execute('@TOOLS/text.fail', { args: {}, critical: false }), read('@x/a')]),
    message([read('@x/a', { slice: 'lines[5:9]' })]),
    message([read('@x/none')]),
  ]);
  const text = await desk.runtime.ledger.export(told.run_id, { secrets: true });
  await desk.close();
  return text;
};

/** A guest that is told why its power is refused, and returns the reason as its result. */
const powers = async (): Promise<string> => {
  const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
  const drop = definePower({ ...common, name: 'mail.drop', effect: 'write', run: () => null });
  const source = 'export default async (_, powers) => powers.mail.drop(1).catch((e) => [e.name, e.message]);';
  const use = defineCapability({ ...common, name: 'use', effect: 'write', powers: ['mail.drop'], source });
  const rt = await openRuntime({ capabilities: [use], powers: [drop], grants: [{ capability: 'use', mode: 'allow' }] });
  const next = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'x' } });
  const run = rt.start({ dialect: 'xct', task: 'x', model: fromScript([next('use'), next('none')]) });
  await run.result;
  const text = await rt.ledger.export(run.id);
  await rt.close();
  expect(text).toContain('It is no_grant');
  return text;
};

describe('a run that was recorded with other error texts', () => {
  test.each<[what: string, besides: number, () => Promise<string>]>([
    ['of every gate', 0, () => record(openRuntime)],
    ['whose guest was told why a power was refused', 1, powers],
    ['with messages, including a partial success', 0, messages],
    [
      'whose remote model was told the size of its context',
      0,
      () =>
        record(openRuntime, [call('math.none'), call('note.get'), call('math.add')], {
          remote: 'https://models.example',
        }),
    ],
  ])('a run recorded with other error texts replays and reports them as skipped: %s', async (_, besides, make) => {
    const text = await inOtherWords(make);
    const other = replies(text);
    expect(other.length).toBeGreaterThan(0);
    for (const { reply } of other) expect(reply.message).toContain('as an older build would have put it');
    const report = await replayed(text);
    expect(failed(report)).toEqual([]);
    for (const id of ['decisions', 'replay'] as const) {
      const { status, skipped } = check(report, id) ?? {};
      expect([status, skipped?.count, skipped?.first.code]).toEqual(['pass', other.length + besides, 'not_replayed']);
      if (besides === 0) expect(skipped?.first.message).toContain('the sentences of a reply');
    }
  });
});

describe('an error reply that was changed, with every hash made anew', () => {
  const forged = (text: string, at: number, change: (reply: Reply) => unknown): string => {
    const { sha256, salt, reply } = replies(text)[at] ?? { sha256: '', salt: '', reply: {} as Reply };
    return replacePayload(text, sha256, salt + canonical(change(reply)));
  };
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [two]) => (one < two ? -1 : 1)))
        : member,
    );

  test('a reply with another sentence verifies, and the report names its record', async () => {
    const text = await record(openRuntime);
    const at = replies(text).findIndex(({ reply }) => reply.details['code'] === 'arguments_schema');
    const issues = (reply: Reply) => reply.details['issues'] as readonly object[];
    const lies: readonly ((reply: Reply) => unknown)[] = [
      (reply) => ({ ...reply, message: 'Forged.' }),
      (reply) => ({
        ...reply,
        details: { ...reply.details, issues: issues(reply).map((issue) => ({ ...issue, message: 'Forged.' })) },
      }),
    ];
    for (const lie of lies) {
      const report = await replayed(forged(text, at, lie));
      expect(failed(report)).toEqual([]);
      expect(check(report, 'decisions')?.skipped).toMatchObject({
        count: 1,
        first: { run_seq: replies(text)[at]?.run_seq, code: 'not_replayed' },
      });
    }
  });

  test('a reply with another code, place, detail or shape fails the decisions, and with other guest words the replay', async () => {
    const text = await record(openRuntime);
    const places = replies(text);
    const of = (code: string) => places.findIndex(({ reply }) => reply.details['code'] === code);
    const detail = (more: object) => (reply: Reply) => ({ ...reply, details: { ...reply.details, ...more } });
    const lies: readonly (readonly [string, (reply: Reply) => unknown])[] = [
      ['arguments_schema', detail({ code: 'no_grant' })],
      ['arguments_schema', detail({ class: 'authorization' })],
      ['arguments_schema', detail({ step: 'form' })],
      ['arguments_schema', detail({ pointer: '/a' })],
      ['arguments_schema', detail({ issues: [] })],
      ['arguments_schema', detail({ issues: [{ pointer: '', keyword: 'type', message: 'x' }] })],
      ['arguments_schema', detail({ more: 1 })],
      ['grant_used_up', detail({ uses: 3 })],
      ['unknown_capability', detail({ name: 'math.other' })],
      ['approval_denied', detail({ reason: 'another' })],
      ['grant_constraint', (reply) => ({ ...reply, more: 1 })],
      ['grant_constraint', (reply) => ({ ...reply, message: ['not a sentence'] })],
      ['grant_constraint', ({ status, details }) => ({ status, details })],
      ['grant_constraint', (reply) => ({ ...reply, status: 'failure' })],
    ];
    for (const [code, lie] of lies) {
      expect(of(code), code).toBeGreaterThanOrEqual(0);
      const report = await replayed(forged(text, of(code), lie));
      expect([code, failed(report)]).toEqual([code, ['decisions']]);
    }
    const thrown = detail({ error: { name: 'RangeError', message: 'forged' } });
    expect(failed(await replayed(forged(text, of('capability_threw'), thrown)))).toEqual(['replay']);
  });

  test('a changed guest result with a member `message` fails the replay', async () => {
    const says = {
      name: 'say.it',
      version: '1.0.0',
      description: 'Says it.',
      effect: 'pure',
      args: {},
      source: 'export default () => ({ status: "error", message: "from the guest", details: { issues: [] } });',
    } as const;
    const rt = await openRuntime({ capabilities: [says], grants: [{ capability: 'say.it', mode: 'allow' }] });
    const model = fromScript([{ next_step: { tool: 'say.it', arguments: {}, goal: 'x' } }]);
    const run = rt.start({ dialect: 'xct', task: 'x', model });
    await run.result;
    const text = await rt.ledger.export(run.id);
    await rt.close();
    const { payloads } = parseExport(text);
    let lie = text;
    for (const [sha256, bytes] of payloads) {
      const content = new TextDecoder().decode(bytes);
      if (content.includes('from the guest') && !content.includes('export default'))
        lie = replacePayload(lie, sha256, content.replaceAll('from the guest', 'from somebody'));
    }
    expect(lie).not.toBe(text);
    expect(failed(await replayed(lie))).toEqual(['replay']);
  });
});
