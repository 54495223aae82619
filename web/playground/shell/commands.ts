import { shell } from '../../texts/en/shell.ts';
import { LANGUAGES } from '../../texts/languages.ts';
import { showGuideAgain } from '../guide/guide-state.ts';
import type { PartName } from '../link.ts';
import { codeAsks, compareAsks, galleryAsks, keepAsks } from '../parts/dialog-asks.ts';
import { BINDINGS, type Face, GOING } from './key-bindings.ts';
import { chooseLanguage, LANGUAGE_NAMES } from './languages.ts';
import { notifyOfQuestions } from './notifications.ts';
import { THEMES } from './theme.ts';

/** A command of this page, with the words by which people look for it. */
export interface PaletteCommand {
  readonly word: string;
  /** The key that does the same. */
  readonly key: string;
  readonly act: (face: Face) => void;
}

/** Every command that is possible now, with and without a key. */
export function commandsOf(face: Face): readonly PaletteCommand[] {
  const { store } = face;
  const { commands: texts, languageIs, theme, themes } = shell();
  const inRun = store.view.peek() === 'run';
  const over = store.session.peek()?.view.peek()?.end !== undefined || store.session.peek()?.run === undefined;
  const idle = over ? ['s', 'r', 'Control+k'] : ['Control+k'];
  const keyed = [...BINDINGS, ...GOING].filter(
    ({ anywhere, keys }) => (inRun || anywhere === true) && !idle.includes(keys[0] ?? ''),
  );
  const fresh = inRun ? [command(texts.newRun, () => store.startRun())] : [];
  return [
    ...(over ? fresh : []),
    ...keyed.map(({ word, keys, act }) => ({ word, key: shownKey(keys[0]), act })),
    ...(over || !inRun ? [] : [command(texts.endRun, () => store.abort())]),
    ...(over ? [] : fresh),
    ...(inRun ? ofRun(store) : []),
    ...(inRun
      ? [
          command(texts.copyCode, () => void (codeAsks.value = 'node')),
          command(texts.embed, () => void (codeAsks.value = 'embed')),
        ]
      : []),
    ...(store.view.peek() === 'audit' && store.audit.file.peek() !== undefined
      ? [command(texts.export, () => face.exportRun())]
      : []),
    command(texts.readRun, () => readRun(store)),
    ...(['workshop', 'breakout'] as const).map((part) => command(texts[part], () => goToPart(store, part))),
    command(texts.gallery, () => void (galleryAsks.value = true)),
    command(texts.guide, () => showGuideAgain(store)),
    command(texts.storage, () => void (keepAsks.value = true)),
    ...LANGUAGES.map((name) => command(languageIs(LANGUAGE_NAMES[name]), () => void chooseLanguage(name))),
    ...THEMES.map((name) => command(theme(themes[name]), () => void (store.themes.chosen.value = name))),
    command(texts.notify, () => void tellOfQuestions(store)),
    command(store.themes.projector.peek() ? texts.projectorOff : texts.projectorOn, () => store.themes.project()),
  ];
}

function goToPart({ view, place }: Face['store'], part: PartName): void {
  view.value = 'capabilities';
  place.part.value = part;
}

/** Asks for a file, and shows the run in it. */
function readRun(store: Face['store']): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: '.jsonl,.json,text/plain' });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    store.view.value = 'run';
    store.openFile(file);
  });
  input.click();
}

async function tellOfQuestions({ runtime, trouble }: Face['store']): Promise<void> {
  trouble.value = await notifyOfQuestions(runtime);
}

function ofRun(store: Face['store']): readonly PaletteCommand[] {
  const { commands: texts } = shell();
  const last = store.session.peek()?.records.peek().at(-1)?.run_seq;
  const who = (['script', 'you', 'model'] as const).map((name) => command(texts[name], () => store.choose(name)));
  return [
    ...who,
    command(texts.server, () => void (store.endpoint.asks.value = true)),
    ...(last === undefined
      ? []
      : [
          command(texts.compare, () => void (compareAsks.value = true)),
          command(texts.first, () => store.selection.select(0)),
          command(texts.last, () => store.selection.select(last)),
        ]),
  ];
}

function shownKey(key = ''): string {
  return key.replace('Control+', `${shell().keys.Control} `);
}

function command(word: string, act: () => void): PaletteCommand {
  return { word, key: '', act };
}

/** Commands with all of these words in them, in any order; commands that begin with them come first. */
export function commandsFor(commands: readonly PaletteCommand[], text: string): readonly PaletteCommand[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = commands.filter(({ word }) => words.every((each) => word.toLowerCase().includes(each)));
  const first = words[0] ?? '';
  return fits.toSorted((a, b) => rank(a.word, first) - rank(b.word, first));
}

function rank(word: string, first: string): number {
  return word.toLowerCase().startsWith(first) ? 0 : 1;
}
