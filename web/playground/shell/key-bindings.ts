import { type ShellTexts, shell } from '../../texts/en/shell.ts';
import { nameOf, type ViewName } from '../link.ts';
import type { Playground } from '../playground.ts';

/** The command of a key. Single letters work only outside text fields, and approving has no key. */
interface KeyBinding {
  readonly keys: readonly string[];
  /** Its name in the language of the interface. */
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
  /** Opens the dialog that saves or sends the open run. */
  exportRun(): void;
}

interface NamedBinding extends Omit<KeyBinding, 'word'> {
  readonly name: Exclude<keyof ShellTexts['commands'], 'goTo'>;
}

const NAMED: readonly NamedBinding[] = [
  { keys: ['s', 'F10'], name: 'step', act: ({ store }) => store.step() },
  { keys: ['r'], name: 'run', act: ({ store }) => store.run() },
  { keys: ['j'], name: 'nextRecord', act: ({ store }) => store.selection.move(1) },
  { keys: ['k'], name: 'previousRecord', act: ({ store }) => store.selection.move(-1) },
  { keys: ['n'], name: 'nextProblem', act: ({ store }) => store.selection.toProblem(1) },
  { keys: ['N'], name: 'previousProblem', act: ({ store }) => store.selection.toProblem(-1) },
  { keys: [']'], name: 'nextSide', act: ({ store }) => store.selection.turnTab(1) },
  { keys: ['['], name: 'previousSide', act: ({ store }) => store.selection.turnTab(-1) },
  { keys: ['p'], name: 'pin', act: ({ store }) => store.selection.togglePin() },
  { keys: ['i'], name: 'inspector', act: (face) => face.focusInspector() },
  { keys: ['q', 'F8'], name: 'question', act: (face) => face.focusQuestion() },
  { keys: ['/'], name: 'filter', act: (face) => face.focusFilter() },
  { keys: ['Control+s'], name: 'export', act: (face) => face.exportRun() },
  { keys: ['Control+k'], name: 'all', act: (face) => face.openPalette(), anywhere: true },
  { keys: ['?'], name: 'help', act: (face) => face.openHelp(), anywhere: true },
];

export const BINDINGS: readonly KeyBinding[] = NAMED.map(({ name, ...rest }) => ({
  ...rest,
  get word() {
    return shell().commands[name];
  },
}));

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
).map(([view, keys]) => ({
  keys: [keys],
  get word() {
    return shell().commands.goTo(nameOf(view));
  },
  anywhere: true,
  act: goTo(view),
}));

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
