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
  it('the generated files equal the output of `node .scripts/generate-validators.mjs`', async () => {
    for (const [path, text] of await generate()) {
      const written = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
      expect(written === text, `${path} is stale: run node .scripts/generate-validators.mjs`).toBe(true);
    }
  });

  it('the generated compiler has no Function constructor and a single eval, for the realm', async () => {
    expect(SCHEMA_COMPILER).not.toMatch(/\bFunction\(/);
    expect(SCHEMA_COMPILER.match(/\beval\b/g)).toHaveLength(1);
  });

  it('the generated validators evaluate no code in the host', async () => {
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
  it('every schema of a built-in capability has a generated validator', () => {
    const hashes = schemas.map((schema) => {
      const outcome = lint(schema);
      return outcome.ok ? outcome.value.hash : outcome.refusal.message;
    });
    expect([...VALIDATORS.keys()].toSorted()).toEqual([...new Set(hashes)].toSorted());
  });

  it('a generated validator gives the same answer as the realm', async () => {
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
