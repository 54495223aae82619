// Keys of what a check reads: two runs with an equal key read the same bytes. Pure.
import { hash } from 'node:crypto';

/** @typedef {import('./sources.mjs').Sources} Sources */

/** Endings that the compiler tries behind a path without its ending, and for one of JavaScript. */
const ENDINGS = ['', '.ts', '.tsx', '.mts', '.js', '.mjs', '.json', '.d.ts', '/index.ts', '/index.js', '/index.d.ts'];
/** @type {ReadonlyArray<[RegExp, string[]]>} */
const DECLARED = [
  [/\.js$/, ['.ts', '.tsx', '.d.ts']],
  [/\.mjs$/, ['.mts', '.d.mts']],
];

/** Makes keys over the sources. `tools` names the versions of the tools.
 * @param {Sources} sources
 * @param {string} tools */
export function keysOf({ files, dist }, tools) {
  const links = new Map(
    [...files].map(([path, { targets }]) => [path, targets.flatMap((target) => found(files, target))]),
  );
  const base = contentOf(
    tools,
    [...files].flatMap(([path, { configures }]) => (configures ? [path] : [])),
  );

  /** Files that lead from `starts`, by the paths that each names.
   * @param {Iterable<string>} starts */
  function reach(starts) {
    const reached = new Set(starts);
    // A Set also visits entries that are added during its visit.
    for (const path of reached) for (const target of links.get(path) ?? []) reached.add(target);
    return reached;
  }

  /** @param {string} first
   * @param {Iterable<string>} paths
   * @param {'hash' | 'seen'} what */
  function contentOf(first, paths, what = 'hash') {
    let text = `${first}\n`;
    let built = false;
    for (const path of paths) {
      const source = files.get(path);
      text += `${path} ${source?.[what]}\n`;
      built ||= source?.built === true;
    }
    return hash('sha1', built ? text + dist : text);
  }

  return {
    /** Key of a check that reads these files, the files that they name, and so on; `how` says how it reads them.
     * @param {string[]} starts
     * @param {string} how */
    whole: (starts, how) => contentOf(base + how, reach(starts)),
    /** Key of a check that reads this file, and of the files that it leads to as much as others can see.
     * @param {string} path
     * @param {string} declared types that other files declare for this one */
    typed: (path, declared) => contentOf(base + declared + files.get(path)?.hash, reach([path]), 'seen'),
    /** The types that files reached from `starts` declare for others.
     * @param {string[]} starts */
    declared: (starts) => contentOf('', reach([...reach(starts)].filter((path) => files.get(path)?.declares)), 'seen'),
    /** Key of a check that reads this file alone.
     * @param {string} path */
    alone: (path) => contentOf(base, [path]),
    /** Key of a check that reads every file.
     * @returns {string} */
    everything: () => contentOf(base, files.keys()),
  };
}

/** @param {Sources['files']} files
 * @param {string} target */
function found(files, target) {
  const declared = DECLARED.flatMap(([ending, others]) =>
    ending.test(target) ? others.map((other) => target.replace(ending, other)) : [],
  );
  return [...ENDINGS.map((ending) => target + ending), ...declared].filter((path) => files.has(path));
}
