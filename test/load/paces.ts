import { cpus } from 'node:os';
import type { Pace } from './measure-order.ts';
import type { MeasuredLine } from './measured-process.ts';
import { serverTime } from './server-time.ts';

export interface PacesOptions<P extends string> {
  /** Process of the server. */
  readonly server: number;
  /** Phases of each turn, in order. */
  readonly phases: readonly P[];
  /** Turns that do not count. */
  readonly first: number;
  /** Steps of all turns that count. */
  readonly steps: number;
}

/** Sums over the turns that count, in µs. */
interface Sums {
  readonly wall: number;
  readonly program: number;
  readonly server: number | undefined;
  readonly idle: number;
}

/** What the phases of a measurement take, of the processes, of the server and of the machine. */
export class Paces<P extends string> {
  readonly #options: PacesOptions<P>;
  readonly #sums = new Map<P, Sums>();
  /** Phases that are over. */
  #over = 0;
  #from: ReturnType<typeof timesOf>;

  constructor(options: PacesOptions<P>) {
    this.#options = options;
    this.#from = timesOf(options.server);
  }

  begin(): void {
    this.#from = timesOf(this.#options.server);
  }

  end(lines: readonly MeasuredLine[], ms: number): void {
    const [now, from] = [timesOf(this.#options.server), this.#from];
    const { phases, first } = this.#options;
    const nth = this.#over++;
    const phase = phases[nth % phases.length];
    if (nth < first * phases.length || phase === undefined) return;
    const sums = this.#sums.get(phase) ?? { wall: 0, program: 0, server: 0, idle: 0 };
    this.#sums.set(phase, {
      wall: sums.wall + ms * 1_000,
      program: lines.reduce((sum, line) => sum + ('ms' in line ? (line.cost?.cpu ?? 0) : 0), sums.program),
      server: added(sums.server, now.server, from.server),
      idle: sums.idle + now.idle - from.idle,
    });
  }

  of(phase: P): Pace {
    const { steps } = this.#options;
    const { wall = Number.NaN, program = Number.NaN, server, idle = Number.NaN } = this.#sums.get(phase) ?? {};
    return {
      perSecond: Math.round((steps * 1e6) / wall),
      program: Math.round(program / steps),
      server: server === undefined ? undefined : Math.round(server / steps),
      idle: Math.round(idle / steps),
    };
  }
}

/** Times up to now, in µs: of the server, and of all processors without work. */
function timesOf(server: number): { readonly server: number | undefined; readonly idle: number } {
  return { server: serverTime(server), idle: cpus().reduce((sum, { times }) => sum + times.idle * 1_000, 0) };
}

function added(sum: number | undefined, now: number | undefined, from: number | undefined): number | undefined {
  return sum === undefined || now === undefined || from === undefined ? undefined : sum + now - from;
}
