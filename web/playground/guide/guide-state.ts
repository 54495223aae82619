import { type Signal, signal } from '@preact/signals-core';
import type { ViewName } from '../link.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';
import type { GuideProgress } from './steps.ts';

/** Progress of the guide through the first minute; undefined while the guide is not shown. */
export type GuideState = Signal<GuideProgress | undefined>;

const KEY = 'sallyport.guide';

/** Shows the guide, unless a person has skipped or finished it on this device. */
export function openGuide(): GuideState {
  return signal<GuideProgress | undefined>(readSetting(KEY) === undefined ? { step: 'step' } : undefined);
}

/** This device shows the guide by itself no more. */
export function keepGuideDone(): void {
  writeSetting(KEY, 'done');
}

/** Shows the guide from its first step. The steps that a person took before do not count. */
export function showGuideAgain({ guide, view }: { readonly guide: GuideState; readonly view: Signal<ViewName> }): void {
  view.value = 'run';
  guide.value = { step: 'step', again: true };
}
