import type { EventEmitter } from 'node:events';
import { deferred } from '../../../async.ts';

const EVENTS = ['drain', 'close', 'error'] as const;

/** Resolves when a stream that was full takes more, or has ended. No listener stays behind. */
export function drained(stream: EventEmitter & { readonly destroyed: boolean }): Promise<void> {
  const { promise, resolve } = deferred<void>();
  const done = (): void => {
    for (const event of EVENTS) stream.off(event, done);
    resolve();
  };
  for (const event of EVENTS) stream.on(event, done);
  if (stream.destroyed) done();
  return promise;
}
