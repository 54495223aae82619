/** Names of a run's capabilities as a server takes them: letters, digits, `_` and `-`. */
export interface ToolNames {
  /** The server's name; for a name that the run does not offer now, its likely one. */
  theirs(name: string): string;
  /** The capability's name; a name that was not offered is unchanged, for the gate to refuse. */
  ours(name: string): string;
}

const LENGTH_MAX = 64;

/**
 * Maps names both ways without collisions. A name that a server takes stays as it is; in every other name each point
 * becomes `_`, and a number follows where that name is taken.
 */
export function toolNames(names: readonly string[]): ToolNames {
  const theirs = spelledApart(names, plain);
  const ours = new Map([...theirs].map(([name, alias]) => [alias, name]));
  return { theirs: (name) => theirs.get(name) ?? plain(name), ours: (name) => ours.get(name) ?? name };
}

/**
 * A spelling for each name, of at most 64 characters. A name that is spelled as it is keeps its spelling, and a number
 * follows where a spelling is taken.
 */
export function spelledApart(names: readonly string[], spell: (name: string) => string): ReadonlyMap<string, string> {
  const spelled = new Map<string, string>();
  const taken = new Set<string>();
  const next = new Map<string, number>();
  const fits = (name: string): boolean => spell(name) === name;
  for (const name of [...names.filter(fits), ...names.filter((each) => !fits(each))]) {
    if (spelled.has(name)) continue;
    const first = spell(name);
    let nth = next.get(first) ?? 1;
    let spelling = first;
    while (taken.has(spelling)) spelling = numbered(first, ++nth);
    next.set(first, nth);
    taken.add(spelling);
    spelled.set(name, spelling);
  }
  return spelled;
}

function numbered(name: string, nth: number): string {
  const end = `_${nth}`;
  return name.slice(0, LENGTH_MAX - Math.max(4, end.length)) + end;
}

/** Some servers want a letter or `_` at the beginning. */
function plain(name: string): string {
  const spelled = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(spelled) ? spelled : `_${spelled}`).slice(0, LENGTH_MAX);
}
