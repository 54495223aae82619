import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lawTable } from './laws.ts';

test('the documentation has the table of laws and renderers', () => {
  console.log(lawTable());
  expect(readFileSync('web/docs/approvals.md', 'utf8')).toContain(lawTable());
});
