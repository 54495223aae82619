import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scanHeadings } from '../../../core/content/markdown/headings.ts';
import { suiteFiles } from '../../setup/suites.ts';
import { referenceHeadings } from './reference.ts';

function ours(text: string) {
  return scanHeadings(text).map(({ depth, line }) => ({ depth, line }));
}

const spec = suiteFiles('commonmark')?.find((file) => file.name === 'spec.txt');
if (spec === undefined)
  console.warn('CommonMark is not here: set SALLYPORT_SUITES to the folder that holds it. 655 examples do not run.');

/** The specification writes its examples between long fences, with an arrow for each tab. */
function examples(text: string): readonly string[] {
  const blocks = text.matchAll(/^`{32} example\n([\s\S]*?)^\.\n[\s\S]*?^`{32}$/gm);
  return Array.from(blocks, ([, source = '']) => source.replaceAll('→', '\t'));
}

describe.skipIf(spec === undefined)('the examples of CommonMark 0.31 (SALLYPORT_SUITES)', () => {
  const sources = examples(new TextDecoder().decode(spec?.bytes));

  test('the specification of CommonMark has 655 examples', () => {
    expect(sources.length).toBe(655);
  });

  test('scanHeadings agrees with the reference implementation on each CommonMark example and its nestings', () => {
    for (const source of sources) {
      expect([source, ours(source)]).toEqual([source, referenceHeadings(source)]);
      const nested = [`> ${source.replaceAll('\n', '\n> ')}`, `- ${source.replaceAll('\n', '\n  ')}`, `${source}# end`];
      for (const text of nested) expect([text, ours(text)]).toEqual([text, referenceHeadings(text)]);
    }
  });
});

test('scanHeadings agrees with the reference implementation on the Markdown of this repository', () => {
  const files = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
  expect(files).toContain('README.md');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    expect([file, ours(text)]).toEqual([file, referenceHeadings(text)]);
  }
});
