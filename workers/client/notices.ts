import type { Notice } from '../../core/run/notices.ts';
import { visibleLine } from '../../core/text/visible.ts';
import type { RunListener } from '../ports.ts';
import type { Approvers } from './approvers.ts';
import type { RunUpdates } from './run-updates.ts';
import { warn } from './warn.ts';

/** Tells a run's notices to `onNotice` or the console, each a single time for a runtime. */
export function noticing(listener: RunListener, approvers: Approvers, { isWatched }: RunUpdates): RunListener {
  const { warned, approve, onNotice = shown } = approvers;
  const once = (notice: Notice): void => {
    if (warned.has(notice.code)) return;
    warned.add(notice.code);
    onNotice(notice);
  };
  return (update) => {
    const { notices = [], waiting, pending } = update.view;
    for (const notice of notices) once(notice);
    // An adapter may repeat a server's text, and a console may be a terminal: control characters are escaped.
    if (waiting !== undefined)
      once({ code: 'model_failed', message: `The run waits: ${visibleLine(waiting.message)} Its run() asks again.` });
    if (pending !== undefined && pending.why === undefined && approve === undefined && !isWatched())
      once(questionWaits(pending.capability));
    listener(update);
  };
}

function shown({ code, message }: Notice): void {
  warn(`sallyport: ${message} (${code})`);
}

/** Notice about a question that a program may not know of. */
function questionWaits(capability: string): Notice {
  const message = `The run waits, because ${capability} needs the approval of a person. Give openRuntime the option approve, or answer with run.answer.`;
  return { code: 'question_waits', message };
}
