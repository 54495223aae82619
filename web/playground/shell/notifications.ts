import { visibleText } from '../../../core/index.ts';
import type { Runtime, WaitingQuestion } from '../../../workers/api.ts';
import { shell } from '../../texts/en/shell.ts';

/** The parts of a window that notifications need. */
export interface NotifyingPage {
  readonly document: Pick<Document, 'hidden'>;
  readonly Notification?: {
    new (title: string, options: NotificationOptions): Pick<Notification, 'close' | 'onclick'>;
    requestPermission(): Promise<NotificationPermission>;
  };
  focus(): void;
}

/** Runtimes whose questions are told. */
const told = new WeakSet<object>();

/**
 * Asks the browser for notifications, after a person's click, and shows one for each question that begins to wait while the
 * page is hidden. It has no arguments; about a held question it does not name the call. Resolves with why
 * none is shown.
 */
export async function notifyOfQuestions(
  runtime: Pick<Runtime, 'questions'>,
  page: NotifyingPage = window,
): Promise<string | undefined> {
  const texts = shell().notifications;
  const { Notification: Shown } = page;
  if (Shown === undefined) return texts.absent;
  const permission = await Shown.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? texts.denied : texts.unanswered;
  if (!told.has(runtime)) {
    told.add(runtime);
    follow(runtime, page, Shown).catch(() => told.delete(runtime));
  }
  return undefined;
}

async function follow(
  runtime: Pick<Runtime, 'questions'>,
  page: NotifyingPage,
  Shown: NonNullable<NotifyingPage['Notification']>,
): Promise<void> {
  const seen = new Map<string, Pick<Notification, 'close'> | undefined>();
  for await (const open of runtime.questions()) {
    const digests = new Set(open.map(({ digest }) => digest));
    for (const [digest, shown] of seen) {
      if (digests.has(digest)) continue;
      shown?.close();
      seen.delete(digest);
    }
    for (const question of open)
      if (!seen.has(question.digest))
        seen.set(question.digest, page.document.hidden ? show(question, page, Shown) : undefined);
  }
}

function show(
  { digest, pending }: WaitingQuestion,
  page: NotifyingPage,
  Shown: NonNullable<NotifyingPage['Notification']>,
): Pick<Notification, 'close'> | undefined {
  const { title, call, other } = shell().notifications;
  const body = pending === undefined || pending.held === true ? other : call(visibleText(pending.capability));
  try {
    const shown = new Shown(title, { body, tag: digest });
    shown.onclick = () => page.focus();
    return shown;
  } catch {
    // a phone's browser shows them for service workers alone
    return undefined;
  }
}
