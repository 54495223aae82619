import { openDoor } from '../../index.ts';
import { send } from '../../texts/en/send.ts';

/**
 * An export from an address, through a door: a worker that asks this server alone. The request carries no cookies and
 * no referrer and follows no redirect. Rejects with the reason, also for an answer over 64 MB.
 */
export async function fetchRun(url: URL, signal: AbortSignal): Promise<File> {
  const door = await openDoor({ kind: 'file', url: url.href });
  try {
    const answer = await door.fetch(url.href, { signal });
    if (!answer.ok) throw new Error(send().import.answered(answer.status));
    return new File([await answer.blob()], url.pathname.split('/').at(-1) || url.host);
  } finally {
    door.close();
  }
}
