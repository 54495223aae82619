import type { ColumnName, Playground } from '../playground.ts';
import type { GuideStep } from './steps.ts';

/** A control that a step of the guide speaks of. */
export interface GuidePlace {
  /** The text of the guide while the control is the next to use. */
  readonly text: 'step' | 'receipt' | 'question' | 'answer' | 'model' | 'draft' | 'over';
  /** Elements from the page inwards, each in the shadow tree of the element before it. */
  readonly path: readonly string[];
  /** The column of the control on a narrow screen; undefined for a control that every column shows. */
  readonly column?: ColumnName;
}

const STEP: GuidePlace = { text: 'step', path: ['sp-runbar', '#step'] };
const RUN: GuidePlace = { text: 'question', path: ['sp-runbar', '#run'] };
const OVER: GuidePlace = { text: 'over', path: ['sp-runbar', '#new, #take'] };
const RECEIPT: GuidePlace = { text: 'receipt', path: ['sp-inspector', '#tab-receipt'], column: 'inspector' };
const ANSWER: GuidePlace = { text: 'answer', path: ['sp-approval', '.actions'] };
const CONSENT: GuidePlace = { text: 'answer', path: ['sp-consent', '.actions'] };
const YOU: GuidePlace = {
  text: 'model',
  path: ['sp-setup', 'sp-composer', '[aria-labelledby=who] > :nth-child(2)'],
  column: 'setup',
};
const DRAFT: GuidePlace = { text: 'draft', path: ['sp-setup', 'sp-composer', '#draft'], column: 'setup' };

/** The control to use next; undefined for the last words. Reading it inside a view follows the run. */
export function placeOf(step: GuideStep, { session, chosen }: Playground): GuidePlace | undefined {
  if (step === 'end') return undefined;
  if (step === 'receipt') return RECEIPT;
  const view = session.value?.view.value;
  // a question keeps every other control from acting
  if (view?.pending !== undefined) return ANSWER;
  if (view?.consent !== undefined) return CONSENT;
  if (session.value !== undefined && (view === undefined || view.end !== undefined)) return OVER;
  if (step === 'step') return STEP;
  if (step === 'question') return RUN;
  return chosen.value === 'you' ? DRAFT : YOU;
}

/** The control in the tree of the page; undefined while the page does not have it. */
export function controlAt({ path }: GuidePlace, root: ParentNode): HTMLElement | undefined {
  let found: HTMLElement | null = null;
  let inside: ParentNode | null = root;
  for (const selector of path) {
    found = inside?.querySelector<HTMLElement>(selector) ?? null;
    inside = found?.shadowRoot ?? null;
  }
  return found ?? undefined;
}

/** Focuses the control, or the first control in it, and scrolls it into sight. */
export function goToControl(control: HTMLElement): void {
  const own = control.matches('button,textarea') ? control : control.querySelector<HTMLElement>('button,input');
  control.scrollIntoView({ block: 'nearest' });
  own?.focus();
}
