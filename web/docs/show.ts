import type { GateState, StripGate } from '../records/gates.ts';

/** A step as it is shown: its gates, and the code of its refusal. */
export interface ShownStep {
  readonly gates: readonly StripGate[];
  readonly code?: string;
}

const GATES: { readonly [S in GateState]: readonly [mark: string, words: string] } = {
  passed: ['✓', 'passed'],
  stopped: ['✕', 'stopped here'],
  waiting: ['?', 'waits for a person'],
  running: ['…', 'under way'],
  skipped: ['–', 'not needed'],
  never: ['·', 'never reached'],
  ahead: ['·', 'ahead'],
};

/** The elements that show an example: the gates of each step, then the lines that it printed. */
export function drawn(steps: readonly ShownStep[], lines: readonly string[]): HTMLElement[] {
  const printed = lines.length === 0 ? [] : [made('pre', 'printed', lines.join('\n'))];
  return [...steps.map(strip), ...printed];
}

function strip({ gates, code }: ShownStep, at: number): HTMLElement {
  const list = made('ol', 'gates');
  list.append(...gates.map(gate));
  const step = made('div', 'step');
  step.append(made('p', '', `Step ${at + 1}${code === undefined ? '' : `: ${code}`}`), list);
  return step;
}

function gate({ name, state }: StripGate): HTMLElement {
  const [sign, words] = GATES[state];
  const item = made('li', state);
  const mark = made('span', '', sign);
  mark.ariaHidden = 'true';
  item.append(mark, ` ${name}`, made('span', 'unseen', `: ${words}`));
  return item;
}

function made(tag: string, className: string, textContent = ''): HTMLElement {
  return Object.assign(document.createElement(tag), { className, textContent });
}
