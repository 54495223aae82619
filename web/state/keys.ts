import type { Playground } from './playground.ts';

/** What a key does. Single letters work only outside text fields, and approving has none. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly word: string;
  readonly act: (face: Face) => void;
}

/** What keys reach beside the store: things that only a page has. */
export interface Face {
  readonly store: Playground;
  focusFilter(): void;
  focusInspector(): void;
  openHelp(): void;
}

export const BINDINGS: readonly KeyBinding[] = [
  { keys: ['s', 'F10'], word: 'Step', act: ({ store }) => store.step() },
  { keys: ['r'], word: 'Run', act: ({ store }) => store.run() },
  { keys: ['Escape'], word: 'Abort, or close what is open', act: ({ store }) => store.abort() },
  { keys: ['j'], word: 'Next record', act: ({ store }) => store.selection.move(1) },
  { keys: ['k'], word: 'Previous record', act: ({ store }) => store.selection.move(-1) },
  { keys: ['n'], word: 'Next problem', act: ({ store }) => store.selection.toProblem(1) },
  { keys: ['N'], word: 'Previous problem', act: ({ store }) => store.selection.toProblem(-1) },
  { keys: [']'], word: 'Next side of the record', act: ({ store }) => store.selection.turnTab(1) },
  { keys: ['['], word: 'Previous side of the record', act: ({ store }) => store.selection.turnTab(-1) },
  { keys: ['p'], word: 'Pin the record', act: ({ store }) => store.selection.togglePin() },
  { keys: ['i'], word: 'Into the inspector', act: (face) => face.focusInspector() },
  { keys: ['/'], word: 'Filter', act: (face) => face.focusFilter() },
  { keys: ['?'], word: 'This help', act: (face) => face.openHelp() },
];

export interface Press {
  readonly key: string;
  readonly modified: boolean;
  /** The key was typed into a text field. */
  readonly typing: boolean;
  /** The run is on the screen; elsewhere only help has a key. */
  readonly inRun: boolean;
  /** Single letters are turned off (WCAG 2.1.4). */
  readonly lettersOff: boolean;
}

/** The binding a key press means, if any. */
export function bindingFor(press: Press): KeyBinding | undefined {
  if (press.modified) return undefined;
  const single = press.key.length === 1;
  if (single && (press.typing || press.lettersOff)) return undefined;
  return BINDINGS.find(({ keys }) => keys.includes(press.key) && (press.inRun || press.key === '?'));
}
