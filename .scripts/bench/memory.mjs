import { readFileSync } from 'node:fs';

/** The most that a process of pages holds for itself meanwhile, where the system tells.
 * @param {import('playwright').BrowserContext} context @param {readonly string[]} parts that it tells of */
export async function watchMemory(context, parts) {
  const session = await context.browser()?.newBrowserCDPSession();
  /** @type {Map<string, number>} */
  const most = new Map();
  let phase = '';
  const look = async () => {
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
    const held = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMb(id));
    most.set(phase, Math.max(most.get(phase) ?? 0, ...held));
  };
  // not awaited, even if the browser has ended
  const timer = setInterval(() => void look().catch(() => undefined), 250).unref();
  return {
    enter: (/** @type {readonly string[]} */ names) => {
      phase = names.join(', ');
    },
    /** The most MB in a part, 0 where the system does not tell. */
    mostIn: (/** @type {string} */ part) => most.get(part) ?? 0,
    end: () => {
      clearInterval(timer);
      if (Math.max(...most.values()) === 0) return 'This system does not tell what a process holds.';
      const said = parts.map((part) => `${part} ${most.get(part)?.toFixed(0)} MB`);
      return `The process of the page held for itself at most: ${said.join(', ')}.`;
    },
  };
}

/** @param {number} id of a process */
function privateMb(id) {
  try {
    const kb = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
    return [...kb].reduce((sum, [, one]) => sum + Number(one), 0) / 1000;
  } catch {
    // another system, or a process that has ended
    return 0;
  }
}
