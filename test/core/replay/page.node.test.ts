import { beforeAll, describe, expect, test } from 'vitest';
import { addGrant, makeGrant, standingChild } from '../../../core/capability/policy.ts';
import {
  type CheckId,
  formatExport,
  type Grant,
  type LedgerRecord,
  parseExport,
  type Report,
} from '../../../core/index.ts';
import { restoreFacts } from '../../../core/run/resume/facts.ts';
import { VALIDATORS } from '../../../core/schema/validators.generated.js';
import { deferred } from '../../../workers/async.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { replayed } from '../../runtime/replayed.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { type Rewritable, reorder, replacePayload, rewrite } from './rewrite.ts';

const common = { version: '1.0.0', description: 'For a test.', args: {} } as const;
const SOURCE = `export default async (args, powers) => {
  const text = await powers.page.read(1);
  const said = await powers.mail.send(text + '!').catch((e) => e.name);
  return [text, said, await powers.mail.drop(2).catch((e) => e.name), Math.random()];
}`;

/** A run whose call reads, sends with the approval of a person, and is refused a third power. */
async function record(): Promise<string> {
  const powers = [
    definePower({ ...common, name: 'page.read', effect: 'read', labels: ['private'], run: () => 'read' }),
    definePower({ ...common, name: 'mail.send', effect: 'egress', run: (text) => `sent ${JSON.stringify(text)}` }),
    definePower({ ...common, name: 'mail.drop', effect: 'write', run: () => null }),
  ];
  const names = powers.map(({ name }) => name);
  const use = defineCapability({ ...common, name: 'use', effect: 'read', labels: [], powers: names, source: SOURCE });
  const runtime = await openRuntime({
    capabilities: [use],
    powers,
    grants: [
      { capability: 'use', mode: 'allow' },
      { power: 'page.read', mode: 'allow', uses: 2 },
      { power: 'mail.send', mode: 'ask' },
      { power: 'mail.drop', mode: 'deny' },
    ],
    approve: async () => ({ approved: true }),
  });
  const call = { next_step: { tool: 'use', arguments: {}, goal: 'use' } };
  const model = fromScript([call, call, call, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Use it.', model, heapHash: true });
  await run.result;
  const text = await runtime.ledger.export(run.id);
  await runtime.close();
  return text;
}

let text = '';
beforeAll(async () => {
  text = await record();
});

const failed = ({ checks }: Report): CheckId[] => checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const check = ({ checks }: Report, id: CheckId) => checks.find((each) => each.id === id);
const records = (): LedgerRecord[] => parseExport(text).records.flatMap((line) => (line ? [line.record] : []));
type Evidence = { readonly [member: string]: unknown };

/**
 * Changes the first record of a kind whose body has these members. The other records keep their content; every hash is
 * right.
 */
function lie(kind: string, like: object, change: (body: Rewritable['body']) => Rewritable['body']): string {
  const place = records().find((each) => each.kind === kind && isLike(each.body, like))?.run_seq ?? -1;
  expect(place, kind).toBeGreaterThan(0);
  return rewrite(text, ({ run_seq, body }) => (run_seq === place ? change(body) : body));
}
const placeOf = (kind: string, like: object) =>
  records().find((each) => each.kind === kind && isLike(each.body, like))?.run_seq ?? -1;
const doubled = (kind: string, like: object) =>
  rewrite(text, ({ body }) => body, undefined, undefined, placeOf(kind, like));
const without = (kind: string, like: object) =>
  rewrite(text, ({ run_seq, body }) => (run_seq === placeOf(kind, like) ? undefined : body));
/** Arguments of the first power call. */
function firstArgs(): unknown {
  const proposal = records().find(({ kind }) => kind === 'verdict')?.body as { readonly args?: unknown };
  return proposal.args;
}
const isLike = (body: object, like: object) =>
  Object.entries(like).every(([name, value]) => (body as Evidence)[name] === value);
const inEvidence = (change: (evidence: Evidence) => Evidence) => (body: Rewritable['body']) => ({
  ...body,
  evidence: change(body['evidence'] as Evidence),
});

describe('a call that used page powers', () => {
  test('a call with page powers is replayed with the recorded answers, to its fuel, result and receipt', async () => {
    const report = await replayed(text);
    expect(failed(report)).toEqual([]);
    const page = records().filter(({ kind }) => ['power', 'approval', 'parked', 'progress'].includes(kind)).length;
    expect(check(report, 'replay')?.count).toBe(report.records - page);
    expect(check(report, 'replay')?.skipped).toMatchObject({ count: 3, first: { code: 'not_replayed' } });
  });

  test('a call that was parked leaves the same heap when it is replayed without parking', async () => {
    const heaps = records().flatMap(({ kind, body }) => (kind === 'receipt' ? (body.evidence.heap_hash ?? []) : []));
    // The third call is refused its first power.
    expect(heaps).toHaveLength(2);
    const report = await replayed(
      lie(
        'receipt',
        {},
        inEvidence((evidence) => ({ ...evidence, heap_hash: '0'.repeat(64) })),
      ),
    );
    expect(failed(report)).toEqual(['replay']);
    expect(check(report, 'replay')?.difference).toMatchObject({
      pointer: '/evidence/heap_hash',
      again: JSON.stringify(heaps[0]),
    });
  });

  test('a false fuel of a call with page powers is found by the replay', async () => {
    const report = await replayed(
      lie(
        'receipt',
        {},
        inEvidence((evidence) => ({ ...evidence, fuel: 1 })),
      ),
    );
    expect(failed(report)).toEqual(['replay']);
    expect(check(report, 'replay')?.first?.code).toBe('replay_differs');
    expect(check(report, 'replay')?.difference).toMatchObject({ pointer: '/evidence/fuel', recorded: '1' });
  });

  test('a false answer of a page power is found by the replay', async () => {
    const calls = records().flatMap(({ kind, body }) => (kind === 'receipt' ? (body.evidence.power_calls ?? []) : []));
    const said = new TextDecoder().decode(parseExport(text).payloads.get(calls[0]?.sha256 ?? ''));
    const report = await replayed(replacePayload(text, calls[0]?.sha256 ?? '', said.replace('"read"', '"tale"')));
    // the record of the read, written before the next power, holds the answer too
    expect(failed(report)).toEqual(['decisions']);
  });

  test.each<[string, () => string]>([
    [
      'a grant that is another power’s',
      () => lie('power', { event: 'issued' }, (body) => ({ ...body, grant: '0'.repeat(64) })),
    ],
    ['another policy', () => lie('power', { event: 'issued' }, (body) => ({ ...body, policy_hash: '0'.repeat(64) }))],
    ['fewer labels', () => lie('power', { event: 'issued' }, (body) => ({ ...body, labels: ['untrusted'] }))],
    ['another effect', () => lie('power', { event: 'issued' }, (body) => ({ ...body, effect: 'write' }))],
    ['another power', () => lie('power', { event: 'issued' }, (body) => ({ ...body, power: 'page.read' }))],
    ['another status', () => lie('power', { event: 'answered' }, (body) => ({ ...body, status: 'error' }))],
    ['a question about another nonce', () => lie('approval', { event: 'asked' }, (body) => ({ ...body, nonce: 'x' }))],
    ['no person’s yes', () => lie('approval', { event: 'answered' }, (body) => ({ ...body, approved: false }))],
    ['another argument', () => lie('power', { event: 'issued' }, (body) => ({ ...body, args: firstArgs() }))],
    ['a power that was issued twice', () => doubled('power', { event: 'issued' })],
    ['a question that was asked twice', () => doubled('approval', { event: 'asked' })],
    ['an answer to a question that was not asked', () => without('approval', { event: 'asked' })],
    ['a question of another use', () => lie('approval', { event: 'asked' }, (body) => ({ ...body, ticket: 3 }))],
    ['a call that was taken out twice', () => doubled('parked', {})],
    [
      'another image of what was taken out',
      () => lie('parked', {}, (body) => ({ ...body, image_hash: '0'.repeat(64) })),
    ],
    ['another nonce of what was taken out', () => lie('parked', {}, (body) => ({ ...body, nonce: 'x' }))],
    ['fewer decisions of what was taken out', () => lie('parked', {}, (body) => ({ ...body, powers: [] }))],
    [
      'a denial for another reason',
      () =>
        lie(
          'receipt',
          {},
          inEvidence((evidence) => ({
            ...evidence,
            powers: (evidence['powers'] as Evidence[]).map((each) =>
              each['code'] === undefined ? each : { ...each, decision: 'DENIED_ARGUMENT_INVALID' },
            ),
          })),
        ),
    ],
    [
      'a decision twice',
      () =>
        lie(
          'receipt',
          {},
          inEvidence((evidence) => {
            const powers = evidence['powers'] as Evidence[];
            return { ...evidence, powers: [...powers, ...powers] };
          }),
        ),
    ],
    [
      'a missing denial',
      () =>
        lie(
          'receipt',
          {},
          inEvidence((evidence) => ({
            ...evidence,
            powers: (evidence['powers'] as Evidence[]).filter(({ code }) => code === undefined),
          })),
        ),
    ],
    [
      'a permission it did not have',
      () =>
        lie(
          'receipt',
          {},
          inEvidence((evidence) => ({
            ...evidence,
            powers: (evidence['powers'] as Evidence[]).map(({ code: _, ...each }) => ({
              ...each,
              decision: 'AUTHORIZED',
            })),
          })),
        ),
    ],
  ])('records of a page power that tell of %s fail the decisions', async (_, forged) => {
    expect(failed(await replayed(forged()))).toEqual(['decisions']);
  });

  test('an approval of a power that is recorded as denied fails the decisions', async () => {
    const powers = [definePower({ ...common, name: 'mail.send', effect: 'egress', run: () => null })];
    const source = `export default (_, { mail }) => mail.send(1).catch((e) => e.name);`;
    const use = defineCapability({ ...common, name: 'use', effect: 'read', labels: [], powers: ['mail.send'], source });
    const runtime = await openRuntime({
      capabilities: [use],
      powers,
      grants: [
        { capability: 'use', mode: 'allow' },
        { power: 'mail.send', mode: 'ask' },
      ],
      approve: async () => ({ approved: false, reason: 'no' }),
    });
    const model = fromScript([{ next_step: { tool: 'use', arguments: {}, goal: 'use' } }, { done: true, message: '' }]);
    const run = runtime.start({ dialect: 'xct', task: 'Use it.', model });
    await run.result;
    const denied = await runtime.ledger.export(run.id);
    await runtime.close();
    const said = rewrite(denied, ({ body }) => (body['approved'] === false ? { ...body, approved: true } : body));
    expect([failed(await replayed(denied)), failed(await replayed(said))]).toEqual([[], ['decisions']]);
  });

  test('a power that was issued before its approval fails the decisions', async () => {
    const yes = placeOf('approval', { event: 'answered' });
    expect(records()[yes + 1]?.body).toMatchObject({ event: 'issued' });
    const early = reorder(text, (lines) => lines.toSpliced(yes, 2, ...lines.slice(yes, yes + 2).toReversed()));
    expect(failed(await replayed(early))).toEqual(['decisions']);
  });

  test('a call whose only power was denied fails the decisions when the denial is removed', async () => {
    const [, , third] = records().filter(({ kind }) => kind === 'receipt');
    expect(third?.body).toMatchObject({ evidence: { powers: [{ ticket: 1, code: 'grant_used_up' }] } });
    const undecided = inEvidence(({ powers: _, ...evidence }) => evidence);
    const gone = rewrite(text, ({ run_seq, body }) => (run_seq === third?.run_seq ? undecided(body) : body));
    expect(failed(await replayed(gone))).toEqual(['decisions']);
  });

  test('a denial with a reason that no grant could give fails the decisions, even when the guest was told the same', async () => {
    const told = [...parseExport(text).payloads].flatMap(([sha256, bytes]) => {
      const said = new TextDecoder().decode(bytes);
      return said.includes('"grant_denied"') ? [[sha256, said] as const] : [];
    });
    for (const other of ['grant_expired', 'no_grant', 'approval_denied', 'authorizer_denied', 'elsewhere']) {
      const renamed = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll('"grant_denied"', `"${other}"`));
      const said = told.reduce(
        (forged, [sha256, each]) => replacePayload(forged, sha256, each.replaceAll('"grant_denied"', `"${other}"`)),
        text,
      );
      expect([failed(await replayed(rewrite(said, ({ body }) => renamed(body)))), other]).toEqual([
        ['decisions'],
        other,
      ]);
    }
  });

  test('a standing answer that is no child of the grant that asked fails the decisions', async () => {
    const [first] = records();
    const place = placeOf('approval', { event: 'answered' });
    const yes = records()[place]?.body as Extract<LedgerRecord, { kind: 'approval' }>['body'];
    if (first?.kind !== 'configuration') throw new Error('no configuration');
    const { payloads } = parseExport(text);
    const facts = restoreFacts(first.run_id, first.body, ({ sha256 }) => payloads.get(sha256), VALIDATORS);
    if (!facts.ok) throw new Error(facts.refusal.message);
    const { policy } = facts.value;
    const parentOf = (name: string) => policy.grants.find(({ capability }) => capability === name) as Grant;
    const [asked, other] = [parentOf('mail.send'), parentOf('page.read')];
    const labels = ['private'] as const;
    const given = { run: first.run_id, answer: yes.digest, labels };
    const right = standingChild(asked, given) as Grant;
    const { id: _, ...terms } = right;
    const subject = { name: asked.capability, hash: asked.capability_hash };
    const forgeries: readonly Grant[] = [
      standingChild(other, given) as Grant,
      makeGrant(subject, { mode: 'allow', answer: yes.digest }),
      makeGrant(subject, { ...terms, parent: other.id }),
      makeGrant(subject, { ...terms, run: crypto.randomUUID() }),
      makeGrant(subject, { ...terms, answer: 'a'.repeat(64) }),
      makeGrant(subject, { ...terms, expires: 1 }),
      makeGrant(subject, { ...terms, mode: 'deny' }),
    ];
    const proposal = records().find(({ kind }) => kind === 'proposal')?.body as {
      readonly payload: { sha256: string };
    };
    const erased = new Map([...payloads].filter(([sha256]) => sha256 !== proposal.payload.sha256));
    // The forged answer must also be found when the step is taken as recorded.
    for (const bytes of [payloads, erased]) {
      const granted = (grant: Grant) =>
        rewrite(
          text,
          ({ run_seq, body }: Rewritable): Rewritable['body'] => {
            if (run_seq === place) return { ...body, grant };
            const { hash } = addGrant(policy, grant);
            return run_seq < place ? body : JSON.parse(JSON.stringify(body).replaceAll(policy.hash, hash));
          },
          bytes,
        );
      expect(failed(await replayed(rewrite(text, ({ body }) => body, bytes)))).toEqual([]);
      for (const grant of forgeries) expect(failed(await replayed(granted(grant)))).toEqual(['decisions']);
      expect(failed(await replayed(granted(right)))).toEqual([]);
      // a step that is taken as recorded tells which labels it showed, not when
      const sooner = makeGrant(subject, { ...terms, labels: ['private', 'untrusted'] });
      if (bytes === payloads) expect(failed(await replayed(granted(sooner)))).toEqual(['decisions']);
    }
  });

  test('a missing record of a page power that can change data fails the decisions', async () => {
    const issued = records().find(({ kind, body }) => kind === 'power' && body.event === 'issued')?.run_seq ?? -1;
    const gone = rewrite(text, ({ run_seq, body }) => (run_seq === issued ? undefined : body));
    expect(failed(await replayed(gone))).toEqual(['decisions']);
  });

  test('a call whose power answers were erased is taken as recorded', async () => {
    const calls = records().flatMap(({ kind, body }) => (kind === 'receipt' ? (body.evidence.power_calls ?? []) : []));
    const { run_id, records: lines, payloads } = parseExport(text);
    const rest = [...payloads]
      .filter(([hash]) => hash !== calls[0]?.sha256)
      .map(([sha256, bytes]) => ({ sha256, bytes }));
    expect(rest.length).toBe(payloads.size - 1);
    const erased = formatExport(run_id ?? '', text.split('\n').slice(1, 1 + lines.length), rest);
    expect(failed(await replayed(erased))).toEqual([]);
  });
});

/** A call that has read content, and is ended while it waits for a power that only reads. */
async function endedBy(how: 'abort' | 'revoke'): Promise<string> {
  const asked = { count: 0 };
  const run = () => {
    asked.count += 1;
    return new Promise<never>(() => undefined);
  };
  const powers = [definePower({ ...common, name: 'page.read', effect: 'read', labels: [], run })];
  const source = `export default async (args, { sections, page }) => {
    await sections.expand('@x/a', 'head(1)');
    return page.read({});
  }`;
  const look = defineCapability({
    ...common,
    name: 'look',
    effect: 'pure',
    powers: ['sections.expand', 'page.read'],
    source,
  });
  const runtime = await openRuntime({
    capabilities: [look],
    powers,
    grants: [
      { power: 'page.read', mode: 'allow' },
      { capability: 'content.read', mode: 'allow' },
    ],
  });
  await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# A\n') }]);
  const symbol = {
    symbol_id: '@x/a',
    target_type: 'FILE',
    target_ref: 'a.md',
    default_slice_policy: 'head(1)',
  } as const;
  await runtime.content.define(symbol);
  const { id } = await runtime.grants.grant({ capability: 'look', mode: 'allow' });
  const call = { next_step: { tool: 'look', arguments: {}, goal: 'look' } };
  const going = runtime.start({
    dialect: 'xct',
    task: 'Look.',
    model: fromScript([call, { done: true, message: '' }]),
  });
  await expect.poll(() => asked.count).toBe(1);
  await (how === 'abort' ? going.abort('enough') : runtime.grants.revoke(id));
  await going.result;
  const exported = await runtime.ledger.export(going.id);
  await runtime.close();
  return exported;
}

test.each(['abort', 'revoke'] as const)('a call that read content passes the decisions after %s', async (how) => {
  const exported = await endedBy(how);
  const report = await replayed(exported);
  expect([failed(report), check(report, 'decisions')?.status]).toEqual([[], 'pass']);
  const [line] = parseExport(exported).records.flatMap((each) =>
    each?.record.kind === 'receipt' ? [each.record.body] : [],
  );
  const labels = ['private', 'untrusted'];
  expect(line?.evidence).toMatchObject({ labels, powers: [{ power: 'sections.expand' }, { power: 'page.read' }] });
});

test('a power that the authorizer permits and then a person, because of a read meanwhile, passes every check', async () => {
  const read = deferred<string>();
  const powers = [
    definePower({ ...common, name: 'page.begin', effect: 'read', labels: [], run: () => 'begun' }),
    definePower({ ...common, name: 'page.read', effect: 'read', run: () => read.promise }),
    definePower({ ...common, name: 'mail.send', effect: 'egress', run: () => 'sent' }),
  ];
  const names = powers.map(({ name }) => name);
  // The first answer shows that the call has settled in its worker: from then on questions arrive in their order.
  const source =
    'export default async (_, { page, mail }) => { await page.begin(0); return Promise.all([page.read(1), mail.send(2)]); }';
  const use = defineCapability({ ...common, name: 'use', effect: 'read', labels: [], powers: names, source });
  const recorded = async (kind: string) => {
    const all = await runtime.ledger.records(going.id);
    return all.filter((each) => each.kind === kind && 'event' in each.body && each.body.event === 'answered').length;
  };
  const runtime = await openRuntime({
    capabilities: [use],
    powers,
    grants: [{ capability: 'use', mode: 'allow' }, ...names.map((power) => ({ power, mode: 'allow' as const }))],
    authorizer: {
      id: 'rules',
      authorize: async ({ capability }) => {
        if (capability !== 'mail.send') return { allow: true };
        read.resolve('text');
        await expect.poll(() => recorded('power'), { timeout: 30_000 }).toBe(2);
        return { allow: true };
      },
    },
    approve: async () => ({ approved: true }),
  });
  const call = { next_step: { tool: 'use', arguments: {}, goal: 'use' } };
  const model = fromScript([call, { done: true, message: '' }]);
  const going = runtime.start({ dialect: 'xct', task: 'Use it.', model });
  await going.result;
  const exported = await runtime.ledger.export(going.id);
  await runtime.close();
  const asked = parseExport(exported).records.flatMap((each) =>
    each?.record.kind === 'approval' && each.record.body.capability === 'mail.send' ? [each.record.body] : [],
  );
  expect(asked.map((body) => (body.event === 'asked' ? 'asked' : body.via))).toEqual([
    'asked',
    'authorizer',
    'asked',
    'program',
  ]);
  expect(failed(await replayed(exported))).toEqual([]);
});
