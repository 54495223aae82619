import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import type { LedgerRecord } from '../core/index.ts';

const KILLS = 6;
const PROCESS = join(import.meta.dirname, 'session-process.mjs');

interface Line {
  readonly run_id: string;
  readonly step_id?: string;
  readonly hash?: string;
  readonly log?: boolean;
  readonly failed?: readonly string[];
  readonly records?: readonly LedgerRecord[];
}

/** Runs the process and yields its lines, until it ends or is killed after this many receipts. */
async function runProcess(args: readonly string[], kill?: { readonly receipts: number; readonly ms: number }) {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines: Line[] = [];
  let isDue = false;
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(text) as Line);
    if (kill === undefined || isDue || lines.length <= kill.receipts) continue;
    isDue = true;
    setTimeout(() => child.kill('SIGKILL'), kill.ms);
  }
  await ended;
  return lines;
}

test('a session whose process is killed keeps what it acknowledged, and no tool runs twice for a call', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-kills-'));
  const effects = join(directory, 'effects.txt');
  const acknowledged = new Map<string, string>();
  let session = '';
  for (let round = 0; round < KILLS; round++) {
    const kill = { receipts: 1 + (round % 4), ms: round % 6 };
    const [first, ...receipts] = await runProcess([join(directory, 'ledger'), effects, session], kill);
    session = first?.run_id ?? '';
    for (const { step_id = '', hash = '' } of receipts) acknowledged.set(step_id, hash);
  }
  const lines = await runProcess([join(directory, 'ledger'), effects, session, 'end']);
  const { log, failed, records = [] } = lines.at(-1) ?? ({} as Line);
  expect({ log, failed }).toEqual({ log: true, failed: [] });
  const receipts = records.flatMap(({ kind, hash, body }) => (kind === 'receipt' ? [{ hash, ...body }] : []));
  const byStep = new Map(receipts.map(({ hash, receipt }) => [receipt.step_id, hash]));
  expect(byStep.size).toBe(receipts.length);
  expect([...acknowledged].filter(([step_id, hash]) => byStep.get(step_id) !== hash)).toEqual([]);
  // Each effect belongs to a recorded intent, and no call has two.
  const steps = readFileSync(effects, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '');
  expect(new Set(steps).size).toBe(steps.length);
  const intents = new Set(records.flatMap(({ kind, body }) => (kind === 'intent' ? [body.step_id] : [])));
  expect(steps.filter((step_id) => !intents.has(step_id))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
  rmSync(directory, { recursive: true });
});
