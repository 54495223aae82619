import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DefinitionPins } from '../../../../workers/bridges/mcp/gateway/pins.ts';
import { runCommand, UsageError } from '../../../../workers/node/command/command.ts';
import { mcpWatch } from '../../../../workers/node/command/mcp-watch.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'watch-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...words: readonly string[]): Promise<string> {
  let out = '';
  const print = (text: string): void => void (out += text);
  await runCommand(mcpWatch, [...words, '--ledger', folder], { ...processTerminal(), color: false, print });
  return out;
}

const pin = () =>
  new DefinitionPins(join(folder, 'pins.json')).see([
    { server: 'a', origin: 'stdio:a', tool: 'a.read', name: 'read', declaration: {} },
  ]);
const untilNow = () => (JSON.parse(readFileSync(join(folder, 'watch.json'), 'utf8')) as { until: number }).until;

test('sallyport mcp watch begins a watch, never moves it, tells of it, and ends it', async () => {
  await pin();
  expect(await run()).toBe('No watch is under way.');
  expect(await run('2h', '--note', 'first day')).toMatch(/^Watching one tool until .*Note: first day$/);
  const until = untilNow();
  expect(until - Date.now()).toBeGreaterThan(7_190_000);
  expect(await run('3h')).toContain('its end does not move');
  expect(untilNow()).toBe(until);
  expect(await run('--end')).toBe('The watch has ended.');
  expect(await run()).toBe('No watch is under way.');
  // a person who asks again means it
  expect(await run('2h')).toContain('Watching one tool');
});

test.each(['25h', '0m', '2d', 'h', '-1h', '1441m'])('sallyport mcp watch %s is told what a length is', async (time) => {
  await pin();
  await expect(run('--', time)).rejects.toThrow(UsageError);
});

test('sallyport mcp watch says so where nothing is pinned, and where its file is none', async () => {
  await expect(run('2h')).rejects.toThrow('start sallyport mcp once');
  writeFileSync(join(folder, 'watch.json'), '{"until":9}');
  await expect(run()).rejects.toThrow('is no watch');
});
