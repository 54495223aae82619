import { expect, test } from 'vitest';
import { type NotifyingPage, notifyOfQuestions } from '../../../../web/playground/shell/notifications.ts';
import type { WaitingQuestion } from '../../../../workers/api.ts';
import { deferred } from '../../../../workers/async.ts';

const question = (digest: string, more: object = {}) =>
  ({
    run_id: 'r',
    digest,
    since: 0,
    pending: { capability: 'mail.send', args: '{"text":"a secret"}', ...more },
  }) as never;

function runtimeOf() {
  let changed = deferred<void>();
  let open: readonly WaitingQuestion[] = [];
  const set = (next: readonly WaitingQuestion[]) => {
    open = next;
    changed.resolve();
    changed = deferred();
  };
  const runtime = {
    questions: async function* () {
      for (;;) {
        const { promise } = changed;
        yield open;
        await promise;
      }
    },
  };
  return { runtime, set };
}

function pageOf(permission: NotificationPermission, hidden = true) {
  const shown: { title: string; body: string | undefined; isOpen: boolean }[] = [];
  class Shown {
    static readonly requestPermission = async () => permission;
    readonly #at: number;
    onclick = null;
    constructor(title: string, { body }: NotificationOptions) {
      this.#at = shown.push({ title, body, isOpen: true }) - 1;
    }
    close(): void {
      const own = shown[this.#at];
      if (own) own.isOpen = false;
    }
  }
  const page: NotifyingPage = { document: { hidden }, Notification: Shown, focus: () => undefined };
  return { page, shown };
}

test('a question of a hidden page is shown once, without arguments, and closed with its answer', async () => {
  const { runtime, set } = runtimeOf();
  const { page, shown } = pageOf('granted');
  expect(await notifyOfQuestions(runtime, page)).toBeUndefined();
  expect(await notifyOfQuestions(runtime, page)).toBeUndefined();
  set([question('a'), question('b', { held: true })]);
  await expect.poll(() => shown.map(({ body }) => body)).toEqual(['mail.send asks.', 'Open the page and read it.']);
  expect(JSON.stringify(shown)).not.toContain('secret');
  set([question('b', { held: true })]);
  await expect.poll(() => shown.map(({ isOpen }) => isOpen)).toEqual([false, true]);
});

test('a page in sight shows none', async () => {
  const { runtime, set } = runtimeOf();
  const { page, shown } = pageOf('granted', false);
  await notifyOfQuestions(runtime, page);
  set([question('a')]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(shown).toEqual([]);
});

test('a browser that denies or lacks notifications is told in a sentence', async () => {
  const { runtime } = runtimeOf();
  expect(await notifyOfQuestions(runtime, pageOf('denied').page)).toMatch(/^The browser denies/);
  expect(await notifyOfQuestions(runtime, pageOf('default').page)).toMatch(/^Nothing was chosen/);
  const { document, focus } = pageOf('denied').page;
  expect(await notifyOfQuestions(runtime, { document, focus })).toMatch(/^This browser has no notifications/);
});
