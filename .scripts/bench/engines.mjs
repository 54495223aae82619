// Measures the sections of one engine, and hands each section's rows over when it is done.
import { readFileSync } from 'node:fs';
import { WASM } from './serve.mjs';

/** @typedef {import('../long/types.ts').Work} Work */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('./sections.mjs').Part} Part */
/**
 * @typedef {typeof import('../../test/bench/table.ts') & typeof import('../../test/bench/race.ts') &
 *   typeof import('../../test/bench/results.ts') & {
 *   SECTIONS: unknown, LARGE: readonly string[], races: (wasm: Uint8Array) => Promise<readonly RaceOfCalls[]>,
 *   runSections: (sections: unknown, wanted: readonly string[], wasm: Uint8Array,
 *     report: (rows: readonly Row[], section: string) => void) => Promise<void>
 * }} Bench the bundle of `test/bench/node.ts`
 * @typedef {{contestants: readonly {name: string, call: () => string}[]}} RaceOfCalls
 * @typedef {{work: Work, bench: Bench, part: Part, headline: (version: string) => void,
 *   onSection: (rows: readonly Row[], section: string) => void}} Measuring
 */

/** @param {Measuring} measuring */
async function inNode({ work, bench, part, headline, onSection }) {
  headline(`Node ${process.versions.node}`);
  if (part.bundled.length === 0) return;
  await untilAborted(work.signal, bench.runSections(bench.SECTIONS, part.bundled, wasm(), onSection));
}

/** @param {Measuring} measuring */
async function inChromium({ work, bench, part, headline, onSection }) {
  const { measureInChromium } = await import('./chromium.mjs');
  const large = part.isLarge ? bench.LARGE : [];
  // The large corpus is opened in several pages in sequence, as by a returning visitor.
  const pages = [...(part.bundled.length > 0 ? [part.bundled] : []), ...large.map((name) => [name])];
  await measureInChromium({
    pages,
    large,
    signal: work.signal,
    headline,
    say: (text) => work.say(`\n${text}`),
    onSection: (rows, section) => onSection(rows, section.replace(/^large: .*/, 'large')),
  });
}

/** @param {Measuring} measuring */
async function inFirefox({ work, part, headline, onSection }) {
  const { measureInFirefox } = await import('./firefox.mjs');
  await measureInFirefox({ names: part.bundled, signal: work.signal, headline, onSection });
}

/** @type {Readonly<Record<string, (measuring: Measuring) => Promise<void>>>} */
export const ENGINES = { node: inNode, chromium: inChromium, firefox: inFirefox };

/** Measures the built package, beside that of an older commit where one is named.
 * @param {Measuring} measuring @param {import('./outside.mjs').Outside['trees']} trees */
export async function measureOutside({ work, bench, part, onSection }, trees) {
  const { OUTSIDE } = await import('./outside.mjs');
  for (const { name, run } of OUTSIDE[part.engine] ?? []) {
    if (!part.outside.includes(name)) continue;
    onSection(await untilAborted(work.signal, run({ bench, trees, wasm: wasm(), signal: work.signal })), name);
  }
}

function wasm() {
  return new Uint8Array(readFileSync(WASM));
}

/** Waits for work that cannot be stopped, and no longer than until it is interrupted.
 * @template T @param {AbortSignal} signal @param {Promise<T>} work @returns {Promise<T>} */
function untilAborted(signal, work) {
  const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return Promise.race([work, /** @type {Promise<never>} */ (aborted)]);
}
