import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { encodeText, formatExport, parseExport, verifyExport } from '../../../../core/index.ts';
import { leaveOut, partsOf } from '../../../../web/playground/files/disclosures.ts';
import { defineCapability, fromScript } from '../../../../workers/node.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const PIN = 483_112;

const read = (text: string) => ({ text, file: parseExport(text) });

/** The exports of a run with a plain and a secret step: without secrets, and with them. */
async function secretRun(): Promise<readonly [bare: string, full: string]> {
  const common = { version: '1.0.0', description: 'For a test.', effect: 'pure' } as const;
  const pin = defineCapability({
    ...common,
    name: 'pin.echo',
    args: { type: 'object', properties: { pin: { type: 'integer' } }, required: ['pin'] },
    secret: ['args', 'result'],
    run: ({ pin: value }) => value,
  });
  const echo = defineCapability({ ...common, name: 'echo', args: { type: 'object' }, run: (args) => args });
  const grants = [pin, echo].map(({ name }) => ({ capability: name, mode: 'allow' as const }));
  const runtime = await openRuntime({ capabilities: [pin, echo], grants });
  const call = (tool: string, args: object) => ({ next_step: { tool, arguments: args, goal: 'try' } });
  const model = fromScript([call('echo', { text: 'plain words' }), call('pin.echo', { pin: PIN }), { done: true }]);
  const run = runtime.start({ dialect: 'xct', task: 'Echo.', model });
  await run.result;
  const both = [await runtime.ledger.export(run.id), await runtime.ledger.export(run.id, { secrets: true })] as const;
  await runtime.close();
  return both;
}

it('secret payloads are left out with their salts, as the ledger leaves them out', async () => {
  const [bare, full] = await secretRun();
  expect(full).toContain(String(PIN));
  const sent = leaveOut(read(full), new Set(['plain', 'private']));
  expect(sent).not.toContain(String(PIN));
  expect(sent).toContain('plain words');
  expect([...parseExport(sent).payloads.keys()].toSorted()).toEqual([...parseExport(bare).payloads.keys()].toSorted());
  expect(partsOf(parseExport(full)).secret.payloads).toBeGreaterThan(2);
  expect(partsOf(parseExport(bare)).secret.payloads).toBe(0);
  expect(leaveOut(read(full), new Set(['plain', 'private', 'secret']))).toBe(full);
});

it('texts after the first reading of private content are left out, and the rest verifies', () => {
  const text = readFileSync('test/vectors/exports/private.jsonl', 'utf8');
  expect(text).toContain('See you at noon.');
  const { plain, private: own, secret } = partsOf(parseExport(text));
  expect(secret.payloads).toBe(0);
  const sent = leaveOut(read(text), new Set(['plain']));
  expect(sent).toContain('plain words');
  expect(sent).not.toMatch(/noon/i);
  const { records, payloads } = parseExport(sent);
  expect([payloads.size, own.payloads]).toEqual([plain.payloads, parseExport(text).payloads.size - plain.payloads]);
  expect(records.length).toBe(parseExport(text).records.length);
  const [before, after] = [verifyExport(text), verifyExport(sent)];
  expect(after.ok).toBe(true);
  expect([after.head, after.root]).toEqual([before.head, before.root]);
});

it('the answer of a power counts as private until a receipt tells the labels of its step', () => {
  const text = readFileSync('test/vectors/exports/private.jsonl', 'utf8');
  const lines = text.split('\n');
  const power = lines.findIndex((line) => line.includes('"kind":"power"'));
  const receipt = lines.findIndex((line, index) => index > power && line.includes('"kind":"receipt"'));
  const kept = lines.filter((line, index) => index < receipt || line.startsWith('{"payload"'));
  const open = `${kept.join('\n')}\n`.replaceAll(/"labels":\[[^\]]*\]/g, '"labels":[]');
  const sent = leaveOut(read(open), new Set(['plain']));
  const answers = parseExport(open).records.flatMap((line) => {
    const record = line?.record;
    return record?.kind === 'power' && record.body.event === 'answered' ? [record.body.answer.sha256] : [];
  });
  expect(answers.length).toBeGreaterThan(0);
  for (const sha256 of answers) expect(parseExport(sent).payloads.has(sha256)).toBe(false);
});

it('a payload that no record names, and a payload line that cannot be read, are left out', () => {
  const text = readFileSync('test/vectors/exports/whole.jsonl', 'utf8');
  const lines = text.trimEnd().split('\n');
  const sha256 = 'b'.repeat(64);
  const [, stray = ''] = formatExport('system', [], [{ sha256, bytes: encodeText('leaked') }]).split('\n');
  const altered = [...lines.slice(0, -1), stray, '{"payload": "leaked"}', lines.at(-1), ''].join('\n');
  expect(leaveOut(read(altered), new Set(['plain', 'private']))).toBe(
    leaveOut(read(text), new Set(['plain', 'private'])),
  );
  expect(leaveOut(read(altered), new Set(['plain', 'private', 'secret']))).toContain('leaked');
});
