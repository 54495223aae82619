import { visibleLine } from '../../../core/text/visible.ts';
import { warn } from '../../client/warn.ts';
import type { CallerSession } from './caller-session.ts';

/** Refused messages that may wait for their record. A record waits for the calls before it. */
const WAITING_MAX = 64;

/** Records the messages of a client that were refused before they became calls. */
export class RefusedMessages {
  readonly #session: CallerSession;
  #waiting = 0;

  constructor(session: CallerSession) {
    this.#session = session;
  }

  /** Records a message with its bytes. False for a flood of refused messages, which ends the connection. */
  record(bytes: Uint8Array, why: string): boolean {
    if (this.#waiting >= WAITING_MAX) return false;
    this.#waiting++;
    const goal = `Message of MCP, refused: ${visibleLine(why)}`.slice(0, 1024).toWellFormed();
    void this.#record(bytes, goal);
    return true;
  }

  async #record(bytes: Uint8Array, goal: string): Promise<void> {
    try {
      await this.#session.record(bytes, goal);
    } catch (error) {
      warn('sallyport: a refused message has no record', error);
    } finally {
      this.#waiting--;
    }
  }
}
