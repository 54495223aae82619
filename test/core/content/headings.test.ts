import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanHeadings } from '../../../core/content/markdown/headings.ts';
import { caseCount } from '../../cases.ts';
import { referenceHeadings } from './reference.ts';

function ours(text: string) {
  return scanHeadings(text).map(({ depth, line }) => ({ depth, line }));
}

/** Pieces that begin, end or only resemble the blocks of CommonMark. */
const PIECE = fc.constantFrom(
  ...[
    '# a',
    '## b ##',
    '###',
    '####### c',
    '#d',
    '===',
    '---',
    '- - -',
    '***',
    '___',
    '--',
    '=',
    '```',
    '~~~',
    '````',
    '``` x`',
  ],
  ...['> ', '>', '- ', '-', '* ', '+ ', '1. ', '2. ', '10) ', '1234567890. ', '-\t', '>\t', '1.'],
  ...[
    'text',
    'more text',
    '<div>',
    '</div>',
    '<!--',
    '-->',
    '<pre>',
    '</pre>',
    '<?',
    '?>',
    '<!A>',
    '<![CDATA[',
    ']]>',
    '<b>',
    '<b c="d">',
    '<b',
    '<script',
    '</script>',
  ],
  ...['[a]: /u', '[a]:', '/u', '"t"', "'t", '(t)', '[a', ']', '[]: /u', '[a]: <u> "t"', '[b]: /u "t" x', '\\'],
  ...[' ', '  ', '   ', '    ', '\t', '     ', 'é', 'x\u2028y', 'x\u000cy'],
);
const LINE = fc.array(PIECE, { maxLength: 4 }).map((pieces) => pieces.join(''));
const DOCUMENT = fc.array(LINE, { maxLength: 14 }).map((lines) => lines.join('\n'));

describe('headings', () => {
  test('scanHeadings agrees with the reference implementation on generated documents', () => {
    fc.assert(
      fc.property(DOCUMENT, (text) => {
        // Behind a link label the reference accepts spaces only; the specification accepts tabs too.
        fc.pre(!(text.includes(']:') && text.includes('\t')));
        expect(ours(text)).toEqual(referenceHeadings(text));
      }),
      { numRuns: caseCount(1500) },
    );
  });
});
