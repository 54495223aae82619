import type { PeerMessage, Peers } from '../peer-channel.ts';
import type { SqlConnection } from './connection.ts';
import type { Leases } from './leases.ts';
import { refusalOf } from './refusal.ts';

/** Interval of looks at the file's version, a few microseconds each. */
const LOOK_MS = 200;

/**
 * The other kernels on the same file. Their appends and requests are found in the file, after its version has changed.
 */
export function watchFile(connection: SqlConnection, leases: Leases): Peers {
  let timer: ReturnType<typeof setInterval> | undefined;
  let version: unknown;
  /** Place of the last batch that was seen; undefined before the first look. */
  let last: number | undefined;

  function messages(): readonly PeerMessage[] {
    const now = connection.get('pragma data_version')?.['data_version'];
    if (now === version) return [];
    const [known, end] = [last, Number(connection.get('select max(seq) as last from batch')?.['last'] ?? -1)];
    [version, last] = [now, end];
    const grown = connection.all('select distinct run_id from batch where seq > ?', known ?? end);
    const asked = leases.asked().map((run_id) => ({ type: 'asked' as const, run_id }));
    return [...grown.map(({ run_id }) => ({ type: 'grown' as const, run_id: String(run_id) })), ...asked];
  }

  return {
    broadcast: ({ type, run_id }) => {
      if (type === 'asked') leases.ask(run_id);
    },
    onMessage: (listener) => {
      clearInterval(timer);
      looked(messages);
      leases.onLost = (run_id) => listener({ type: 'asked', run_id });
      timer = setInterval(() => {
        for (const message of looked(messages)) listener(message);
      }, LOOK_MS);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}

/** No message after a failure of the store: the next read or write tells it. */
function looked(look: () => readonly PeerMessage[]): readonly PeerMessage[] {
  try {
    return look();
  } catch (error) {
    refusalOf(error);
    return [];
  }
}
