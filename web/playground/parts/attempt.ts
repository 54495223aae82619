import type { Signal } from '@preact/signals-core';
import { sentenceOf } from '../../shared/error-text.ts';

/** Runs a named task whose failure is our defect or the device's, and shows the failure. */
export type Attempt = (what: string, work: () => Promise<unknown>) => void;

export function openAttempt(trouble: Signal<string | undefined>): Attempt {
  return (what, work) => {
    work().catch((error: unknown) => {
      trouble.value = `${what} failed: ${sentenceOf(error)}`;
    });
  };
}
