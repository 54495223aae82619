import { sha256 as noble } from '@noble/hashes/sha2.js';
import { hashBytes, sha256 } from '../../core/hash.ts';
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
  const bytes = links.map((link) => encodeText(link.text));
  const sides = [calls('sha256', () => bytes.map(sha256)), calls('noble', () => bytes.map((each) => noble(each)))];
  return rowsOf(`SHA-256 of ${links.length} records`, await race(sides, rounds));
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

/** Against the SHA-256 of the library, and against our own, which is faster in browsers. */
async function verifying(links: readonly Link[], text: string, rounds: number): Promise<Row[]> {
  const texts = links.map((link) => link.text);
  const reading = (name: string, hash: (bytes: Uint8Array) => Uint8Array) =>
    calls(name, () => texts.map((each) => [hash(encodeText(each)), JSON.parse(each) as unknown]));
  const sides = [
    calls('verifyExport', () => verifyExport(text)),
    reading('SHA-256 (noble) of the stored bytes + JSON.parse', noble),
    reading('the same with our SHA-256', sha256),
  ];
  return rowsOf(`verify ${links.length} records`, await race(sides, rounds), { ratio: 1.2 });
}
