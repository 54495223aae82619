import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generate } from '../../../.scripts/generate-validators.mjs';
import { lint } from '../../../core/schema/lint.ts';
import { VALIDATORS } from '../../../core/schema/validators.generated.js';
import { COMPILED } from '../../../sandbox/capabilities/index.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';
import { realmChecks } from './realm.ts';

const schemas = COMPILED.flatMap(({ args, result }) => (result === undefined ? [args] : [args, result]));

describe('generated files', () => {
  it('are what `node .scripts/generate-validators.mjs` writes', async () => {
    for (const [path, text] of await generate()) {
      const written = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
      expect(written === text, `${path} is stale: run node .scripts/generate-validators.mjs`).toBe(true);
    }
  });

  it('hold an ajv that makes no functions: generated code is tried in the realm, and nowhere else', async () => {
    expect(SCHEMA_COMPILER).not.toMatch(/\bFunction\(/);
    expect(SCHEMA_COMPILER.match(/\beval\b/g)).toHaveLength(1);
  });

  it('evaluate no code in the host', async () => {
    const text = await readFile(new URL('../../../core/schema/validators.generated.js', import.meta.url), 'utf8');
    expect(text).not.toMatch(/\bFunction\(|\beval\b|\bimport\(|\brequire\(/);
    expect(
      [...text.matchAll(/^import\{[^}]*\}from"(.*?)"|;import\{[^}]*\}from"(.*?)"/gm)].map(
        ([, first, next]) => first ?? next,
      ),
    ).toEqual(['./issues.ts', './operations.ts']);
  });
});

describe('validators of built-in capabilities', () => {
  it('are there for every schema of every one', () => {
    const hashes = schemas.map((schema) => {
      const outcome = lint(schema);
      return outcome.ok ? outcome.value.hash : outcome.refusal.message;
    });
    expect([...VALIDATORS.keys()].toSorted()).toEqual([...new Set(hashes)].toSorted());
  });

  it('say what the realm says', async () => {
    const inside = await realmChecks(schemas);
    const values: unknown[] = [
      {},
      { text: 'a' },
      { a: 1 },
      [],
      null,
      1,
      'x',
      { expression: '1+1' },
      JSON.parse('{"__proto__":1}'),
    ];
    schemas.forEach((schema, at) => {
      const outcome = lint(schema);
      const outside = outcome.ok ? VALIDATORS.get(outcome.value.hash) : undefined;
      for (const value of values) expect(inside[at]?.(JSON.stringify(value))).toEqual(outside?.(value));
    });
  });
});
