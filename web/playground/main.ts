import { type Dialect, SallyportError } from '../../core/index.ts';
import type { Notice, Runtime } from '../../workers/api.ts';
import { loadPart } from '../../workers/load-part.ts';
import { openOver, openRuntime, type PageOptions } from '../client.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { whenIdle } from '../shared/idle.ts';
import type { LanguageName } from '../texts/languages.ts';
import { START } from '../texts/start.ts';
import { CORPUS, SYMBOLS } from './demo/corpus.ts';
import { bakery } from './demo/scenario.ts';
import { earlyKernel } from './early-kernel.ts';
import { openingRuntime } from './opening-runtime.ts';
import { holdOption } from './parts/hold-choice.ts';
import type { PlaygroundScenario } from './scenario.ts';
import { beginLanguage, firstLanguage } from './shell/languages.ts';
import { keepOffline } from './shell/offline.ts';

/** Boots the playground. The kernel, which has begun to start, goes on while the code of the views loads and draws the page. */
async function boot(place: HTMLElement): Promise<void> {
  const speaking = beginLanguage(firstLanguage());
  const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: SYMBOLS });
  const messages = inForm('catalytic');
  // the grants of both scenarios, and the grants that only messages can use
  const { capabilities, grants } = messages;
  const hold = holdOption();
  const options = { capabilities, grants, onNotice: warnOf, ...(hold && { hold }) };
  const opening = openingRuntime((onProgress) => openLocked({ ...options, onProgress }));
  const [{ showPage }] = await Promise.all([loadPart(() => import('./show-page.ts')), speaking]);
  await showPage(place, opening, [inForm('xct'), inForm('femtoclaw'), messages]);
}

/** The console gets no word of the grants that only messages can use: each run in another form has them here. */
function warnOf({ code, message }: Notice): void {
  if (code === 'content_not_offered') return;
  // oxlint-disable-next-line no-console -- the console is where a developer looks first
  console.warn(`sallyport: ${message} (${code})`);
}

type Opening = PageOptions & Required<Pick<PageOptions, 'onProgress'>>;

/** Where the host omits the worker's headers, our service worker adds them, and the kernel is started again. */
async function openLocked({ onProgress, ...options }: Opening): Promise<Runtime> {
  earlyKernel.attend(onProgress);
  const runtime = await openOver(earlyKernel.starting, options);
  if (runtime.info.isolation !== 'unlocked') {
    // The service worker fetches the whole site, so it waits for the page and its first run.
    whenIdle(() => void keepOffline());
    return runtime;
  }
  if (!(await keepOffline())) return runtime;
  await runtime.close();
  return openRuntime({ ...options, onProgress });
}

/** Codes of a start that a reload may mend. */
const MENDED: ReadonlySet<string> = new Set(['build_gone', 'build_mismatch', 'part_unloaded', 'worker_blocked']);

/** Shows the start text of the page again, with the reason. */
function refuseToStart(place: HTMLElement, start: readonly Node[], error: unknown): void {
  reportError(error);
  place.replaceChildren(...start);
  place.querySelector('.late')?.remove();
  const sentence = place.querySelector('[role=status]');
  const { notStarted, reload } = START[firstLanguage()];
  if (sentence !== null) sentence.textContent = notStarted(sentenceOf(error));
  if (error instanceof SallyportError && MENDED.has(error.code)) sentence?.after(reloadButton(reload));
}

function reloadButton(text: string): HTMLElement {
  const button = document.createElement('button');
  button.textContent = text;
  button.addEventListener('click', () => location.reload());
  return button;
}

/** Puts the start text of the page into this language. The first paint may have been in English. */
function showStart(place: HTMLElement, language: LanguageName): void {
  const { starting, late } = START[language];
  document.documentElement.lang = language;
  place.querySelector('[role=status]')?.replaceChildren(starting);
  place.querySelector('.late')?.replaceChildren(late);
}

const place = document.querySelector<HTMLElement>('#app');
if (place !== null) {
  place.dataset['begun'] = '';
  showStart(place, firstLanguage());
  const start = [...place.childNodes];
  boot(place).catch((error: unknown) => refuseToStart(place, start, error));
}
