import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportIn, formatHtml } from '../../../core/index.ts';

const PARTS = { script: 'document.title = "x";', style: 'p{color:red}' };

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!--<script>',
  ']]><img src=x onerror=alert(1)>',
  '\u2028\u2029\u0000\ufeff',
  '&lt;/script&gt;',
];

test('a page carries an export to the last character, also with hostile text', () => {
  for (const text of HOSTILE) expect(exportIn(formatHtml(text, PARTS))).toBe(text);
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => exportIn(formatHtml(text, PARTS)) === text));
});

test('a page with another export differs only in the base64 of the export, so no text becomes markup', () => {
  const bare = (html: string) =>
    html.replace(/(<script type="text\/plain" id="export">)[A-Za-z0-9+/=]*(<\/script>)/, '$1$2');
  for (const text of HOSTILE) expect(bare(formatHtml(text, PARTS))).toBe(bare(formatHtml('', PARTS)));
});

test('the policy of a page allows only its script and its style, by their hashes', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(formatHtml('', PARTS))?.[1] ?? '';
  expect(policy).toBe(
    "default-src 'none'; script-src 'sha256-SMvsNDpfnjuHfEuQmiwN5xVKOubsOJP6wvxn2UhM8x8='; " +
      "style-src 'sha256-p0bF+un5yUb9MBO6xRb8kPHlY2BdpHVtLiFkDrZPF64='; base-uri 'none'; form-action 'none'",
  );
});

test('exportIn returns a text unchanged when it is no page of this product', () => {
  for (const text of ['', '{}', '<!doctype html>', '<!doctype html><script type="text/plain" id="export">!</script>'])
    expect(exportIn(text)).toBe(text);
});
