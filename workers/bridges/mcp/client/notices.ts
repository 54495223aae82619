import { visibleText } from '../../../../core/text/visible.ts';
import type { McpNotice } from './api.ts';

/** Notices that a server can cause at once, and the pause after which it can cause one more. */
const BURST = 100;
const PAUSE_MS = 100;

const TEXT_MAX = 2000;

export type Notify = (notice: McpNotice) => void;

/**
 * Hands notices to the program. A server that floods is cut down to a few notices a second, and the number of the
 * others is told. A listener that throws is the program's fault and ends no connection.
 */
export function makeNotify(listener: Notify | undefined, now: () => number = () => performance.now()): Notify {
  if (listener === undefined) return () => undefined;
  let left = BURST;
  let at = now();
  let skipped = 0;
  const tell = (notice: McpNotice): void => {
    try {
      listener(notice);
    } catch {
      // the program's own fault
    }
  };
  return (notice) => {
    const gained = Math.floor((now() - at) / PAUSE_MS);
    left = Math.min(BURST, left + gained);
    at += gained * PAUSE_MS;
    if (left < 1) {
      skipped++;
      return;
    }
    left--;
    if (skipped > 0) tell({ kind: 'skipped', count: skipped });
    skipped = 0;
    tell(notice);
  };
}

/** A stranger's text for a notice or an error: visible, and of bounded length. */
export function shownText(text: unknown, lengthMax: number = TEXT_MAX): string {
  const given = typeof text === 'string' ? text : (JSON.stringify(text) ?? '');
  return visibleText(given.slice(0, lengthMax));
}
