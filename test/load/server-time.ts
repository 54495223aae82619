import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of a process in hundredths of a second. */
const TICK_US = 10_000;

/** Time on a processor of a server and its processes, in µs; undefined where the system has no `/proc`. */
export function serverTime(server: number): number | undefined {
  let names: readonly string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  const own = names.flatMap(statOf).filter(({ pid, parent }) => pid === server || parent === server);
  return own.length === 0 ? undefined : own.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_US;
}

function statOf(pid: string) {
  try {
    // behind the name in brackets: state, parent, and from the twelfth field on the ticks of the program and the system
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
  } catch {
    // the process has ended since
    return [];
  }
}
