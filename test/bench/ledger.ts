import { sha256 as noble } from '@noble/hashes/sha2.js';
import { hashBytes, sha256, sha256Texts } from '../../core/hash.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { extend, headAfter, type Link, NO_RECORDS } from '../../core/ledger/chain.ts';
import { formatExport } from '../../core/ledger/export.ts';
import { emptyFrontier, type Frontier, push } from '../../core/ledger/tree.ts';
import { verifyExport } from '../../core/ledger/verify.ts';
import { sampleRun } from '../core/ledger/sample.ts';
import { calls, race } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const STEPS = 100;

/** The cost of a record on its way in and out: written, added to the tree, verified. All per record. */
export async function ledger(rounds: number): Promise<Row[]> {
  const { run_id, batches } = sampleRun(1, STEPS);
  const links = batches.flatMap((batch) => batch.records);
  const text = formatExport(
    run_id,
    links.map((link) => link.text),
    [],
  );
  if (!verifyExport(text).ok) throw new Error('the sample does not verify');
  return [
    ...(await hashing(links, rounds)),
    ...(await extending(links.slice(-6, -1), rounds)),
    ...(await pushing(links, rounds)),
    ...(await verifying(links, text, rounds)),
  ];
}

async function hashing(links: readonly Link[], rounds: number): Promise<Row[]> {
  const texts = links.map((link) => link.text);
  const bytes = texts.map(encodeText);
  const each = calls('sha256', () => bytes.map(sha256));
  const sides = [each, calls('noble', () => bytes.map((one) => noble(one)))];
  const many = [calls('sha256Texts', () => sha256Texts('', texts)), { ...each, name: 'one after the other' }];
  return [
    ...rowsOf(`SHA-256 of ${links.length} records`, await race(sides, rounds)),
    ...rowsOf(`SHA-256 of ${links.length} records at once`, await race(many, rounds)),
  ];
}

/** The five records of one step: canonical text, body hash, hash and chain. */
async function extending(links: readonly Link[], rounds: number): Promise<Row[]> {
  const [{ record }] = links as [Link];
  const stamp = { run_id: record.run_id, epoch: 0, at: record.at };
  const texts = links.map((link) => link.text);
  const bytes = texts.map(encodeText);
  const bodies = links.map((link) => link.record.body);
  const sides = [
    calls('extend', () => links.reduce((head, link) => headAfter(extend(head, link.record, stamp).record), NO_RECORDS)),
    calls('JSON.stringify + SHA-256 of the text', () =>
      bodies.map((body, at) => [JSON.stringify(body), sha256(bytes[at] as Uint8Array)]),
    ),
  ];
  if (texts.join() !== links.map((link) => canonicalText(link.record)).join()) throw new Error('other texts');
  return rowsOf('extend the chain, a step of 5 records', await race(sides, rounds));
}

async function pushing(links: readonly Link[], rounds: number): Promise<Row[]> {
  const hashes = links.map((link) => hashBytes(link.record.hash));
  const sides = [
    calls('push', () => hashes.reduce<Frontier>(push, emptyFrontier())),
    calls('SHA-256 of 33 and 65 bytes', () => hashes.map((hash) => [sha256(hash), sha256(new Uint8Array(65))])),
  ];
  return rowsOf(`grow the tree by ${links.length} leaves`, await race(sides, rounds));
}

/** Against the SHA-256 of the library, and against the host's: one record at a time, and all of them at once. */
async function verifying(links: readonly Link[], text: string, rounds: number): Promise<Row[]> {
  const texts = links.map((link) => link.text);
  const reading = (name: string, hash: (bytes: Uint8Array) => Uint8Array) =>
    calls(name, () => texts.map((each) => [hash(encodeText(each)), JSON.parse(each) as unknown]));
  const sides = [
    calls('verifyExport', () => verifyExport(text)),
    reading('SHA-256 (noble) of the stored bytes + JSON.parse', noble),
    reading('the same with our SHA-256', sha256),
    calls('the same with our SHA-256 of all at once', () => [
      sha256Texts('', texts),
      texts.map((each) => JSON.parse(each) as unknown),
    ]),
  ];
  const goals = sides.slice(1).map(() => ({ ratio: 1.2 }));
  return rowsOf(`verify ${links.length} records`, await race(sides, rounds), ...goals);
}
