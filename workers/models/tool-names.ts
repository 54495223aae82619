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
  const ours = new Map<string, string>();
  const theirs = new Map<string, string>();
  const fits = (name: string): boolean => plain(name) === name;
  for (const name of [...names.filter(fits), ...names.filter((each) => !fits(each))]) {
    let alias = plain(name);
    for (let nth = 2; ours.has(alias); nth++) alias = `${plain(name).slice(0, LENGTH_MAX - 4)}_${nth}`;
    ours.set(alias, name);
    theirs.set(name, alias);
  }
  return { theirs: (name) => theirs.get(name) ?? plain(name), ours: (name) => ours.get(name) ?? name };
}

/** Some servers want a letter or `_` at the beginning. */
function plain(name: string): string {
  const spelled = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(spelled) ? spelled : `_${spelled}`).slice(0, LENGTH_MAX);
}
