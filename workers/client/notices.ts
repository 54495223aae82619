import { visibleLine } from '../../core/text/visible.ts';
import type { RunListener } from '../ports.ts';
import { warn } from './warn.ts';

/** Shows a run's notices in the console, each a single time for a runtime. */
export function noticing(listener: RunListener, warned: Set<string>): RunListener {
  const once = (code: string, message: string): void => {
    if (warned.has(code)) return;
    warned.add(code);
    warn(`sallyport: ${message} (${code})`);
  };
  return (update) => {
    const { notices = [], waiting } = update.view;
    for (const { code, message } of notices) once(code, message);
    // An adapter may repeat a server's text, and a console may be a terminal: control characters are escaped.
    if (waiting !== undefined)
      once('model_failed', `The run waits: ${visibleLine(waiting.message)} Its run() asks again.`);
    listener(update);
  };
}
