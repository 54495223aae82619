import { encodeText, extend, formatExport, NO_RECORDS } from '../../../../core/index.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';
const SHA256 = 'a'.repeat(64);
/** Bytes that a link may unfold to. */
const LINK_BYTES = 2 << 20;

/** A run with one text: of more than 2 MiB, of 200 KB that no packing makes smaller, or of exactly 2 MiB in all. */
export function largeExport(kind: 'bytes' | 'noise' | 'fits'): string {
  if (kind === 'noise') return exportOf(noise(200_000));
  const spare = LINK_BYTES - exportOf('').length;
  return exportOf('x'.repeat(kind === 'fits' ? spare : LINK_BYTES + 1));
}

function exportOf(text: string): string {
  const bytes = encodeText(text);
  const body = { text: { sha256: SHA256, bytes: 1 } };
  const { text: line } = extend(NO_RECORDS, { kind: 'task', body }, { run_id: RUN, epoch: 1, at: 1 });
  return formatExport(RUN, [line], [{ sha256: SHA256, bytes }]);
}

/** Letters of six bits each, in an order without a pattern and the same each time. */
function noise(length: number): string {
  let state = 1;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[state >>> 26];
  }).join('');
}
