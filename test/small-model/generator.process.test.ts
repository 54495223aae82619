import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

interface Made {
  readonly kinds: readonly string[];
  readonly tools: readonly string[];
  /** The tools of the table that an episode calls. */
  readonly called: readonly string[];
  readonly episodes: number;
  readonly tokens: number;
  readonly sha256: string;
  readonly vocabulary: string;
}

const FOLDER = 'workers/bridges/models/small/trainer';
const hasPython = spawnSync('python3', ['--version']).status === 0;

function made(table: string, ...options: readonly string[]): Made {
  const told = execFileSync('python3', [`${FOLDER}/check.py`, `${FOLDER}/${table}`, ...options], { encoding: 'utf8' });
  return JSON.parse(told) as Made;
}

describe.skipIf(!hasPython)('the generator of the training data', { timeout: 60_000 }, () => {
  it('makes the episodes and tokens of the shipped weights from the table of the playground', () => {
    const { called, tools, sha256, vocabulary } = made('table.json', '--seed', '1', '--episodes', '2000');
    expect(called).toEqual(tools);
    expect(sha256).toBe('c6b64ced55367edd8d0d24cb78f591afb9c9d89a552a839d1c072136978d7145');
    expect(vocabulary).toBe('aa899d61cb782c46781480b342e9640f16a9c71e0660881ea5ac58c867094ef6');
  });

  it('makes episodes and tokens from a table of other tools, without chains and carriers', () => {
    const { kinds, tools, called, episodes, tokens } = made('house.json');
    expect(kinds).toEqual(['single', 'unknown']);
    expect(tools).toEqual(['lamp.set', 'timer.start', 'door.list']);
    expect(called).toEqual(tools);
    expect(episodes).toBe(500);
    expect(tokens).toBeGreaterThan(10_000);
  });

  it('the same seed makes the same episodes, and another seed makes others', () => {
    const [first, again, other] = ['1', '1', '2'].map(
      (seed) => made('house.json', '--seed', seed, '--episodes', '100').sha256,
    );
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each([
    ['house.json', ['unknown'], ['single']],
    ['house.json', ['copying'], ['single', 'unknown']],
    ['table.json', ['chains', 'unknown'], ['single', 'other']],
    ['table.json', ['others', 'carriers', 'spelling', 'lists'], ['single', 'chain', 'read', 'unknown']],
  ])('%s without its parts %j makes the kinds %j', (table, parts, kinds) => {
    const without = parts.flatMap((part) => ['--without', part]);
    expect(made(table, ...without, '--episodes', '200').kinds).toEqual(kinds);
  });
});
