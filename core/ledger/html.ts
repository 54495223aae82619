import { sha256 } from '../hash.ts';
import { decodeUtf8, encodeText } from '../json/utf8.ts';
import { BYTES, demand, OBJECT, type OptionType, STRING } from '../option.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

/** Code and looks of the page that shows an export: ours, from the build. */
export interface HtmlParts {
  readonly script: string;
  readonly style: string;
}

/**
 * An export as a page that checks itself, from a disk and without a network: the text, or its bytes packed with gzip.
 * The strangers' text is in it as base64 alone, so none of it is markup. The page's policy permits only the script that
 * it names by hash, and no loading.
 */
export function formatHtml(jsonl: string | Uint8Array, parts: HtmlParts): string {
  demand('jsonl', jsonl, EXPORT);
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
${typeof jsonl === 'string' ? BEFORE : BEFORE_PACKED}${encodeBase64(typeof jsonl === 'string' ? encodeText(jsonl) : jsonl)}${AFTER}
<script>${script}</script>
</html>
`;
}

const OPENING = '<!doctype html>';
const BEFORE = '<script type="text/plain" id="export">';
const BEFORE_PACKED = '<script type="text/plain" id="export" data-packed="gzip">';
const AFTER = '</script>';

const EXPORT: OptionType = ['a text, or packed bytes', (value) => STRING[1](value) || BYTES[1](value)];

/**
 * The export that a file holds: the text itself, or the export inside a saved page. The content decides, never the file
 * name. A page without an export is returned as it is, and so is a page with a packed export: `packedIn` has its bytes.
 */
export function exportIn(text: string): string {
  demand('text', text, STRING);
  const bytes = bytesIn(text, BEFORE);
  return (bytes === undefined ? undefined : decodeUtf8(bytes)) ?? text;
}

/** The export of a saved page, packed with gzip; undefined for any other text. A stranger chose how far it unfolds. */
export function packedIn(text: string): Uint8Array | undefined {
  demand('text', text, STRING);
  return bytesIn(text, BEFORE_PACKED);
}

function bytesIn(text: string, before: string): Uint8Array | undefined {
  if (!text.startsWith(OPENING)) return undefined;
  const from = text.indexOf(before);
  const to = text.indexOf(AFTER, from);
  return from < 0 || to < 0 ? undefined : decodeBase64(text.slice(from + before.length, to));
}

function hashSource(code: string): string {
  return `sha256-${encodeBase64(sha256(encodeText(code)))}`;
}
