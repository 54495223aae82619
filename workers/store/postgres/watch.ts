import { refuse } from '../../../core/errors.ts';
import type { PeerMessage, Peers } from '../peer-channel.ts';
import type { PgConnection } from './connection.ts';
import { hintOf, type PgHints } from './hints.ts';
import type { PgLeases } from './leases.ts';

/** Interval of looks where hints arrive, and where they do not, in ms. */
export interface LookTimes {
  readonly hintedMs: number;
  readonly blindMs: number;
}

export const LOOK_TIMES: LookTimes = { hintedMs: 2_000, blindMs: 200 };

/** Time between two hints of a store: a hint stands for all appends before it. */
const HINT_MS = 20;

const LOOK = `
  select 'end' as part, null as name, coalesce(max(seq), -1) as n from sallyport.batch where log = $1
  union all
  select distinct 'grown', run_id, 0 from sallyport.batch where log = $1 and seq > $2
  union all
  select 'asked', name, asked from sallyport.claim where log = $1 and owner = $3 and asked > 0
  union all
  select 'version', null, max(version) from sallyport.version`;

/**
 * The other kernels on the same log. Their appends and requests are found in the database, by a look after a hint and
 * at intervals. A look that finds tables of a newer version ends the connection with `store_newer`: the store then
 * renews no lease, and newer programs take its runs.
 */
export function watchLog(
  connection: PgConnection,
  log: number,
  leases: PgLeases,
  hints: PgHints,
  times: LookTimes,
): Peers {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hint: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | undefined;
  let listener: (message: PeerMessage) => void = () => undefined;
  /** Place of the last batch that was seen; undefined before the first look. */
  let last: number | undefined;
  let isLooking = false;
  let isStale = false;
  let isClosed = false;

  async function look(): Promise<void> {
    isStale = isLooking;
    if (isLooking) return;
    isLooking = true;
    for (const message of await messages()) if (!isClosed) listener(message);
    isLooking = false;
    wait(isStale ? 0 : hints.isHeard ? times.hintedMs : times.blindMs);
  }

  /** No message after a failure of the database: the next read or write tells it. */
  async function messages(): Promise<readonly PeerMessage[]> {
    const found = await connection.once((query) => query(LOOK, log, last ?? Number.MAX_SAFE_INTEGER, leases.owner));
    if (!found.ok) return [];
    const of = (part: string) => found.value.filter((row) => row['part'] === part);
    if (Number(of('version')[0]?.['n']) > connection.version) connection.end(refuse('store_newer', {}));
    last = Number(of('end')[0]?.['n'] ?? -1);
    const asked = leases.fresh(of('asked').map(({ name, n }) => [name, Number(n)]));
    const grown = of('grown').map(({ name }) => ({ type: 'grown' as const, run_id: String(name) }));
    return [...grown, ...asked.map((run_id) => ({ type: 'asked' as const, run_id }))];
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void look(), ms);
    timer.unref();
  }

  function send(): void {
    if (isClosed) return;
    hint ??= setTimeout(() => {
      hint = undefined;
      void connection.once((query) => query('select pg_notify($1, $2)', ...hintOf(log, leases.owner)));
    }, HINT_MS);
  }

  return {
    broadcast: ({ type, run_id }) => {
      if (type === 'grown') send();
      else void leases.ask(run_id).then(send);
    },
    onMessage: (heard) => {
      listener = heard;
      leases.onLost = (run_id) => heard({ type: 'asked', run_id });
      unsubscribe ??= hints.subscribe(log, (sender) => {
        if (sender !== leases.owner) void look();
      });
      void look();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(hint);
      unsubscribe?.();
    },
  };
}
