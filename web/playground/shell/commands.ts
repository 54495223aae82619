import { compareAsks } from '../compare/compare-open.ts';
import { keepAsks } from '../storage/storage-dialog-open.ts';
import { BINDINGS, type Face, GOING } from './key-bindings.ts';
import { THEMES } from './theme.ts';

/** A command of this page, with the words by which people look for it. */
export interface PaletteCommand {
  readonly word: string;
  /** The key that does the same. */
  readonly key: string;
  readonly act: (face: Face) => void;
}

const WHO = { script: 'The script proposes', you: 'You propose', model: 'A model proposes' } as const;

/** Every command that is possible now, with and without a key. */
export function commandsOf(face: Face): readonly PaletteCommand[] {
  const { store } = face;
  const inRun = store.view.peek() === 'run';
  const over = store.session.peek()?.view.peek()?.end !== undefined || store.session.peek()?.run === undefined;
  const idle = over ? ['s', 'r', 'Control+k'] : ['Control+k'];
  const keyed = [...BINDINGS, ...GOING].filter(
    ({ anywhere, keys }) => (inRun || anywhere === true) && !idle.includes(keys[0] ?? ''),
  );
  const fresh = inRun ? [command('New run', () => store.startRun())] : [];
  return [
    ...(over ? fresh : []),
    ...keyed.map(({ word, keys, act }) => ({ word, key: shownKey(keys[0]), act })),
    ...(over || !inRun ? [] : [command('End this run…', () => store.abort())]),
    ...(over ? [] : fresh),
    ...(inRun ? ofRun(store) : []),
    command('What is kept on this device: archive, erase, delete, back up', () => void (keepAsks.value = true)),
    ...THEMES.map((name) => command(`Theme: ${name}`, () => void (store.themes.chosen.value = name))),
    command(store.themes.projector.peek() ? 'Projector mode off' : 'Projector mode: larger text', () =>
      store.themes.project(),
    ),
  ];
}

function ofRun(store: Face['store']): readonly PaletteCommand[] {
  const last = store.session.peek()?.records.peek().at(-1)?.run_seq;
  const who = (['script', 'you', 'model'] as const).map((name) => command(WHO[name], () => store.choose(name)));
  return [
    ...who,
    command('Change the model server', () => void (store.endpoint.asks.value = true)),
    ...(last === undefined
      ? []
      : [
          command('Compare with another run', () => void (compareAsks.value = true)),
          command('To the first record', () => store.selection.select(0)),
          command('To the last record', () => store.selection.select(last)),
        ]),
  ];
}

function shownKey(key = ''): string {
  return key.replace('Control+', 'Ctrl ');
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
