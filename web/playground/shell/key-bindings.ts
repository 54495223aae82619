import { nameOf, type ViewName } from '../link.ts';
import type { Playground } from '../playground.ts';

/** The command of a key. Single letters work only outside text fields, and approving has no key. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly word: string;
  readonly act: (face: Face) => void;
  /** Also where no run is on the screen. */
  readonly anywhere?: true;
}

/** Actions that keys reach beside the store: only a page has them. */
export interface Face {
  readonly store: Playground;
  focusFilter(): void;
  focusQuestion(): void;
  focusInspector(): void;
  openHelp(): void;
  openPalette(): void;
}

export const BINDINGS: readonly KeyBinding[] = [
  { keys: ['s', 'F10'], word: 'Step', act: ({ store }) => store.step() },
  { keys: ['r'], word: 'Run', act: ({ store }) => store.run() },
  { keys: ['j'], word: 'Next record', act: ({ store }) => store.selection.move(1) },
  { keys: ['k'], word: 'Previous record', act: ({ store }) => store.selection.move(-1) },
  { keys: ['n'], word: 'Next problem', act: ({ store }) => store.selection.toProblem(1) },
  { keys: ['N'], word: 'Previous problem', act: ({ store }) => store.selection.toProblem(-1) },
  { keys: [']'], word: 'Next side of the record', act: ({ store }) => store.selection.turnTab(1) },
  { keys: ['['], word: 'Previous side of the record', act: ({ store }) => store.selection.turnTab(-1) },
  { keys: ['p'], word: 'Pin the record', act: ({ store }) => store.selection.togglePin() },
  { keys: ['i'], word: 'Into the inspector', act: (face) => face.focusInspector() },
  { keys: ['q', 'F8'], word: 'To the question', act: (face) => face.focusQuestion() },
  { keys: ['/'], word: 'Filter', act: (face) => face.focusFilter() },
  { keys: ['Control+s'], word: 'Export this run', act: ({ store }) => store.exportRun() },
  { keys: ['Control+k'], word: 'All commands', act: (face) => face.openPalette(), anywhere: true },
  { keys: ['?'], word: 'This help', act: (face) => face.openHelp(), anywhere: true },
];

/** `g` and a letter go to a view. */
export const CHORD = 'g';

export const GOING: readonly KeyBinding[] = (
  [
    ['learn', 'g l'],
    ['run', 'g r'],
    ['capabilities', 'g c'],
    ['corpus', 'g o'],
    ['audit', 'g a'],
    ['about', 'g b'],
  ] as const
).map(([view, keys]) => ({ keys: [keys], word: `Go to ${nameOf(view)}`, anywhere: true, act: goTo(view) }));

function goTo(view: ViewName): KeyBinding['act'] {
  return ({ store }) => {
    store.view.value = view;
  };
}

export interface Press {
  readonly key: string;
  /** Control or Command is held, and no other modifier. */
  readonly modified: boolean;
  /** The key before, where it begins a chord. */
  readonly after?: string | undefined;
  /** The key was typed into a text field. */
  readonly typing: boolean;
  /** The run is on the screen; in the other views only help has a key. */
  readonly inRun: boolean;
  /** Single letters are turned off (WCAG 2.1.4). */
  readonly lettersOff: boolean;
}

/** The binding a key press means, if any. */
export function bindingFor(press: Press): KeyBinding | undefined {
  if (press.modified) return bindingOf(`Control+${press.key}`, press);
  const single = press.key.length === 1;
  if (single && (press.typing || press.lettersOff)) return undefined;
  return bindingOf(press.after === undefined ? press.key : `${press.after} ${press.key}`, press);
}

function bindingOf(name: string, { inRun }: Press): KeyBinding | undefined {
  return [...BINDINGS, ...GOING].find(({ keys, anywhere }) => keys.includes(name) && (inRun || anywhere === true));
}
