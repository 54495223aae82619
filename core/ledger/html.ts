import { sha256 } from '../hash.ts';
import { decodeUtf8, encodeText } from '../json/utf8.ts';
import { demand, OBJECT, STRING } from '../option.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

/** Code and looks of the page that shows an export: ours, from the build. */
export interface HtmlParts {
  readonly script: string;
  readonly style: string;
}

/**
 * An export as a page that checks itself, from a disk and without a network. The strangers' text is in it as base64
 * alone, so none of it is markup. The page's policy permits only the script that it names by hash, and no loading.
 */
export function formatHtml(jsonl: string, parts: HtmlParts): string {
  demand('jsonl', jsonl, STRING);
  demand('parts', parts, OBJECT);
  const { script, style } = parts;
  demand('script', script, STRING);
  demand('style', style, STRING);
  const policy = `default-src 'none'; script-src '${hashSource(script)}'; style-src '${hashSource(style)}'; base-uri 'none'; form-action 'none'`;
  return `${OPENING}
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>Sallyport run</title>
<style>${style}</style>
<main></main>
<noscript>This page checks itself with a script. Without one, use the command: npx sallyport verify FILE</noscript>
${BEFORE}${encodeBase64(encodeText(jsonl))}${AFTER}
<script>${script}</script>
</html>
`;
}

const OPENING = '<!doctype html>';
const BEFORE = '<script type="text/plain" id="export">';
const AFTER = '</script>';

/**
 * The export that a file holds: the text itself, or the export inside a saved page. The content decides, never the file
 * name. A page without an export is returned as it is.
 */
export function exportIn(text: string): string {
  demand('text', text, STRING);
  if (!text.startsWith(OPENING)) return text;
  const from = text.indexOf(BEFORE);
  const to = text.indexOf(AFTER, from);
  if (from < 0 || to < 0) return text;
  const bytes = decodeBase64(text.slice(from + BEFORE.length, to));
  return (bytes === undefined ? undefined : decodeUtf8(bytes)) ?? text;
}

function hashSource(code: string): string {
  return `sha256-${encodeBase64(sha256(encodeText(code)))}`;
}
