import { findBrowser } from '../browsers.mjs';

const ANYWHERE = ['accept', 'sandbox', 'step', 'flat', 'ledger', 'schema', 'hang'];
/** Sections of the bundle and of the built package, by the engine that measures them.
 * @type {Readonly<Record<string, {bundled: readonly string[], outside: readonly string[]}>>} */
export const SECTIONS = {
  chromium: { bundled: [...ANYWHERE, 'durable', 'long', 'index', 'ablate'], outside: ['shipped', 'memory', 'start'] },
  firefox: { bundled: ['sandbox', 'step', 'flat', 'durable', 'ablate'], outside: [] },
  // Last: SES, one of its peers, locks this process down, which then can send no function to a page.
  node: { bundled: [...ANYWHERE, 'scale', 'tools', 'ablate'], outside: ['shipped', 'memory', 'start', 'mcp', 'peers'] },
};
/** A corpus of 100 MB: minutes long. */
const LARGE = 'large';
/** Sections that run only when they are named: they take minutes, or install packages. */
export const BY_NAME = [LARGE, 'ablate', 'shipped', 'memory', 'start', 'mcp', 'peers'];
/** Word for each section there is. */
export const ALL = 'all';

/** Each name that a section can be called by. */
export const NAMES = [
  ...new Set([...Object.values(SECTIONS).flatMap(({ bundled, outside }) => [...bundled, ...outside]), LARGE, ALL]),
];

/** @typedef {{engine: string, bundled: readonly string[], outside: readonly string[], isLarge: boolean}} Part */

/** The sections to measure in each engine. Throws where a named engine measures no named section or was not found.
 * @param {readonly string[]} engines @param {readonly string[]} sections @param {(text: string) => void} say
 * @returns {readonly Part[]} */
export function partsOf(engines, sections, say) {
  const isWanted = (/** @type {string} */ name) =>
    sections.includes(ALL) || (sections.length === 0 ? !BY_NAME.includes(name) : sections.includes(name));
  const parts = Object.entries(SECTIONS)
    .filter(([engine]) => engines.length === 0 || engines.includes(engine))
    .map(([engine, { bundled, outside }]) => ({
      engine,
      bundled: bundled.filter(isWanted),
      outside: outside.filter(isWanted),
      isLarge: engine === 'chromium' && isWanted(LARGE),
    }))
    .filter(({ bundled, outside, isLarge }) => isLarge || bundled.length + outside.length > 0);
  if (parts.length === 0) throw new Error(`${engines.join(' and ')} measures no ${sections.join(', ')}.`);
  return parts.filter(({ engine }) => {
    if (engine === 'node' || findBrowser(/** @type {'chromium' | 'firefox'} */ (engine)) !== undefined) return true;
    if (engines.includes(engine) || parts.length === 1) throw new Error(`${engine} was not found.`);
    say(`${engine} was not found: it is left out.`);
    return false;
  });
}
