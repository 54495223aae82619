import { type Signal, signal } from '@preact/signals-core';
import type { ViewName } from '../link.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';
import { GUIDE_STEPS, type GuideProgress, type GuideStep } from './steps.ts';

/** Progress of the guide through the first minute; undefined while the guide is not shown. */
export type GuideState = Signal<GuideProgress | undefined>;

const KEY = 'sallyport.guide';

/** The word of a guide that a person has skipped or finished. */
const DONE = 'done';

/** Shows the guide from the step that this device keeps, unless a person has skipped or finished it. */
export function openGuide(): GuideState {
  const kept = readSetting(KEY);
  const step = GUIDE_STEPS.find((each) => each === kept) ?? 'step';
  return signal<GuideProgress | undefined>(kept === DONE ? undefined : { step });
}

/** A later visit goes on with this step. From the last words on, this device shows the guide by itself no more. */
export function keepGuideStep(step: GuideStep): void {
  writeSetting(KEY, step === 'end' ? DONE : step);
}

/** Shows the guide from its first step. The steps that a person took before do not count. */
export function showGuideAgain({ guide, view }: { readonly guide: GuideState; readonly view: Signal<ViewName> }): void {
  view.value = 'run';
  guide.value = { step: 'step', again: true };
}
