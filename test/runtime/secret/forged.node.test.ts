import { beforeAll, describe, expect, test } from 'vitest';
import { contentHash } from '../../../core/content/text.ts';
import { sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { parseExport } from '../../../core/ledger/export.ts';
import { payloadRefs } from '../../../core/ledger/payloads.ts';
import { type Rewritable, rewrite } from '../../core/replay/rewrite.ts';
import { verified } from '../replayed.ts';
import { call, later, leftOf, TEXT, whole, writing } from './world.ts';

/** Runs with every kind of payload that a secret step has, beside steps that are not secret. */
let runs: readonly { readonly bare: string; readonly full: string }[];
beforeAll(async () => {
  const scripts = [
    [
      'xct',
      [call('xct', 'pin.echo'), call('xct', 'echo', { pin: 1 }), call('xct', 'pin.echo'), call('xct', 'pin.ask')],
    ],
    ['xct', [call('xct', 'pin.powers'), 'no json', call('xct', 'pin.throw')]],
    ['catalytic', [writing(contentHash(TEXT)), later('pin.expand'), call('catalytic', 'pin.powers')]],
  ] as const;
  const ran = await Promise.all(scripts.map(([dialect, script]) => whole(dialect, script)));
  runs = await Promise.all(ran.map(({ runtime, run }) => leftOf(runtime, run)));
});

interface Ref {
  readonly sha256: string;
  readonly bytes: number;
  readonly salt?: number;
}

/** The file with one payload under another reference in each place that names it. All hashes are right. */
function renamed(text: string, from: Ref, to: Ref, bytes: Uint8Array | undefined): string {
  const payloads = new Map(parseExport(text).payloads);
  payloads.delete(from.sha256);
  if (bytes !== undefined) payloads.set(to.sha256, bytes);
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(from.sha256, to.sha256);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(change);
    if ((value as Partial<Ref>).sha256 === from.sha256) {
      const { salt: _, ...rest } = value as unknown as Ref;
      return { ...rest, ...to };
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));
  };
  return rewrite(text, ({ body }) => change(body) as Rewritable['body'], payloads);
}

function named(bytes: Uint8Array, salt?: number): Ref {
  return { sha256: sha256Hex(bytes), bytes: bytes.length, ...(salt === undefined ? {} : { salt }) };
}

function refsIn(text: string): readonly Ref[] {
  const records = parseExport(text).records.flatMap((line) => (line === undefined ? [] : [line.record]));
  const ofSteps = records.filter(({ body }) => 'step' in body || 'evidence' in body);
  return [...new Map(ofSteps.flatMap(payloadRefs).map((ref) => [ref.sha256, ref])).values()];
}

const failed = async (text: string): Promise<readonly string[]> =>
  (await verified(text)).checks.filter(({ status }) => status === 'fail').map(({ id }) => id);

const salted = (text: string) => refsIn(text).filter(({ salt }) => salt !== undefined);
const OTHER = encodeText('0123456789abcdef'.repeat(4));

/** Expects that each forged file fails the decisions check or the form check. */
async function expectCaught(text: string, lies: readonly (readonly [Ref, string])[]): Promise<void> {
  expect(lies.length).toBeGreaterThan(0);
  const missed: unknown[] = [];
  for (const [ref, lie] of lies) {
    const found = await failed(lie);
    if (!found.includes('decisions') && !found.includes('form')) missed.push([ref, placeOf(text, ref)]);
  }
  expect(missed).toEqual([]);
}

const placeOf = (text: string, { sha256 }: Ref) =>
  parseExport(text).records.flatMap((line) => (line && line.body.includes(sha256) ? [line.record.kind] : []));

describe('an export with secrets that was forged', () => {
  test('an export with secrets fails the decisions when a payload of a secret step has no salt', async () => {
    for (const { full } of runs) {
      const { payloads } = parseExport(full);
      const lies = salted(full).map((ref) => {
        const bytes = (payloads.get(ref.sha256) ?? new Uint8Array()).slice(64);
        return [ref, renamed(full, ref, named(bytes), bytes)] as const;
      });
      await expectCaught(full, lies);
    }
  });

  test('an export with secrets fails the decisions when a payload of a secret step has another salt', async () => {
    for (const { full } of runs) {
      const { payloads } = parseExport(full);
      const lies = salted(full).map((ref) => {
        const bytes = (payloads.get(ref.sha256) ?? new Uint8Array()).slice();
        bytes.set(OTHER);
        return [ref, renamed(full, ref, named(bytes, 64), bytes)] as const;
      });
      await expectCaught(full, lies);
    }
  });

  test('an export with secrets fails the decisions when a payload of a plain step has a salt', async () => {
    const { full } = runs[0] ?? { full: '' };
    const { payloads } = parseExport(full);
    const plain = refsIn(full).filter(({ salt }) => salt === undefined);
    const lies = plain.map((ref) => {
      const bytes = new Uint8Array([...OTHER, ...(payloads.get(ref.sha256) ?? [])]);
      return [ref, renamed(full, ref, named(bytes, 64), bytes)] as const;
    });
    await expectCaught(full, lies);
  });

  test('an export with secrets fails the decisions when two secret steps have swapped the salts of equal payloads', async () => {
    const { full } = runs[0] ?? { full: '' };
    const { payloads } = parseExport(full);
    const text = ({ sha256 }: Ref) => new TextDecoder().decode(payloads.get(sha256)?.slice(64));
    const all = salted(full);
    const pairs = all.flatMap((one, at) =>
      all.slice(at + 1).flatMap((two) => (text(one) === text(two) ? [[one, two]] : [])),
    );
    const lies = pairs.map(([one, two]) => {
      const [first, second] = [one as Ref, two as Ref];
      const spare = { ...first, sha256: 'f'.repeat(64) };
      const away = renamed(full, first, spare, payloads.get(first.sha256));
      const over = renamed(away, second, first, payloads.get(first.sha256));
      return [first, renamed(over, spare, second, payloads.get(second.sha256))] as const;
    });
    await expectCaught(full, lies);
  });
});

test('an export without secrets fails the decisions when a secret step names a payload without a salt', async () => {
  for (const { bare } of runs) {
    const lies = salted(bare).map((ref) => {
      const { salt: _, ...plain } = ref;
      return [ref, renamed(bare, ref, plain, undefined)] as const;
    });
    await expectCaught(bare, lies);
  }
});
