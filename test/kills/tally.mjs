/** @typedef {{hashes: string[], broken: string[], twice: string[], interrupted: number, open: number}} Found */
/** Sums of a series of kills.
 * @typedef {object} Tally
 * @property {number} kills
 * @property {number} acknowledged
 * @property {number} lost
 * @property {number} told checkpoints that were told
 * @property {number} contradicted checkpoints that a later log contradicted
 * @property {number} broken
 * @property {number} twice
 * @property {number} interrupted steps that a kill cut off, closed by the process that resumed the run
 * @property {number} openSteps
 * @property {number} torn logs that were torn by hand
 * @property {number} restored databases filled again from the private files
 * @property {number} epochs that began with a loss
 */
/** Options of a series. Without `seed` the moments of the kills differ each time. `signal` ends the series: its processes
 * are killed, and its files removed. `onKill` is told the sums after each kill.
 * @typedef {{seed?: number, signal?: AbortSignal | undefined, onKill?: (tally: Tally) => void}} KillOptions */
/** @typedef {ReturnType<typeof makeTally>} Counting */

/** Compares the acknowledged records with the found records. It lives outside of the killed process. */
export function makeTally() {
  /** @type {Set<string>} */
  const acknowledged = new Set();
  /** Records acknowledged before the current life: a page that writes beside the reader adds others meanwhile. */
  let known = acknowledged;
  /** @type {string[]} */
  const told = [];
  /** @type {Set<string>} */
  const faults = new Set();
  const sums = {
    lost: 0,
    contradicted: 0,
    broken: 0,
    twice: 0,
    interrupted: 0,
    openSteps: 0,
    torn: 0,
    restored: 0,
    epochs: 0,
  };
  return {
    /** @param {string} hash */
    acknowledge: (hash) => void acknowledged.add(hash),
    begin: () => void (known = new Set(acknowledged)),
    /** @param {string} checkpoint */
    tell: (checkpoint) => void told.push(checkpoint),
    /** The last checkpoints, and the first. */
    toldLast: () => [...told.slice(0, 1), ...told.slice(-2)],
    /** @param {Found} found @param {string} [state] @param {number} [contradicted] checkpoints that the log denies */
    compare({ hashes, broken, twice, interrupted, open }, state = 'good', contradicted = 0) {
      const there = new Set(hashes);
      sums.contradicted += contradicted;
      sums.lost += [...known].filter((hash) => !there.has(hash)).length;
      sums.broken += broken.length;
      for (const fault of broken.filter((text) => !faults.has(text))) {
        faults.add(fault);
        console.error(`broken: ${fault}`);
      }
      sums.twice += twice.length;
      if (state === 'restored') sums.restored++;
      if (state === 'lost') sums.epochs++;
      Object.assign(sums, { interrupted, openSteps: open });
    },
    tear: () => void sums.torn++,
    /** The sums by now, after so many kills.
     * @param {number} kills @returns {Tally} */
    sums: (kills) => ({ kills, acknowledged: acknowledged.size, told: told.length, ...sums }),
  };
}
