import { describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { usesIn } from '../../../core/privilege/history.ts';

const HASH = 'a'.repeat(64);
const texts = new Map<string, string>();
/** A payload with this text. */
function ref(text: string) {
  const sha256 = String(texts.size).padStart(64, '0');
  texts.set(sha256, text);
  return { sha256, bytes: text.length };
}
const step = { step: 1, step_id: 'step' };
const used = (ticket: number) => ({ ...step, ticket, power: 'files.write', power_hash: HASH });
const allowed = { grant: HASH, policy_hash: HASH, labels: [], now: 5 };
const issued = (ticket: number, path: string) =>
  record('power', {
    ...used(ticket),
    event: 'issued',
    effect: 'write',
    args: ref(JSON.stringify({ path })),
    ...allowed,
  });
const decided = (ticket: number, decision = 'AUTHORIZED') => ({
  ticket,
  power: 'files.write',
  power_hash: HASH,
  decision,
  grant: HASH,
  now: 5,
});
const question = (ticket: number, path: string) => ({
  ...step,
  ticket,
  capability: 'files.write',
  capability_hash: HASH,
  digest: HASH,
  event: 'asked',
  effect: 'write',
  nonce: 'n',
  args: ref(JSON.stringify({ path })),
});
const answered = (ticket: number) => ({
  ...step,
  ticket,
  capability: 'files.write',
  capability_hash: HASH,
  digest: HASH,
  event: 'answered',
  approved: false,
});
const record = (kind: string, body: object) =>
  ({ at: 1, kind, run_id: 'run', run_seq: 0, body }) as unknown as LedgerRecord;
const proposal = record('proposal', { ...step, payload: ref('x') });
const receipt = (evidence: object) =>
  record('receipt', { receipt: { status: 'SUCCESS' }, evidence: { step: 1, labels: [], ...evidence } });
const encoder = new TextEncoder();
const read = (records: readonly LedgerRecord[]) =>
  usesIn({ records, find: ({ sha256 }) => encoder.encode(texts.get(sha256)) });

describe('the uses of programs', () => {
  test('operations of a message count their tickets anew', () => {
    const operations = [
      { powers: [decided(1, 'DENIED_POLICY_VIOLATION')] },
      { powers: [decided(1)] },
      { powers: [decided(1)] },
    ];
    const uses = read([proposal, issued(1, '/a'), issued(1, '/b'), receipt({ operations })]);
    expect(uses.map(({ args, end }) => [args, end])).toEqual([
      [undefined, 'refused'],
      [{ path: '/a' }, 'ran'],
      [{ path: '/b' }, 'ran'],
    ]);
  });

  test('a no is told though the step has no receipt', () => {
    const uses = read([
      proposal,
      issued(1, '/a'),
      record('approval', question(2, '/b')),
      record('approval', answered(2)),
      record('approval', question(3, '/c')),
      issued(4, '/d'),
    ]);
    expect(uses.map(({ ticket, args, end, labels }) => [ticket, args, end, labels.length])).toEqual([
      [1, { path: '/a' }, 'ran', 0],
      [4, { path: '/d' }, 'ran', 2],
      [2, { path: '/b' }, 'denied', 2],
      [3, { path: '/c' }, 'open', 2],
    ]);
  });

  test('arguments that cannot be written again are none', () => {
    const deep = `{"path":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const power = record('power', { ...used(1), event: 'issued', effect: 'write', args: ref(deep), ...allowed });
    const [use] = read([proposal, power, receipt({ powers: [decided(1)] })]);
    expect(use).not.toHaveProperty('args');
  });
});
