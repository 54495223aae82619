import type { Signal } from '@preact/signals-core';
import { sentenceOf } from '../../shared/error-text.ts';
import { run } from '../../texts/en/run.ts';

/** Runs a named action whose failure is our defect or the device's, and shows the failure. */
export type ActionRunner = (what: string, work: () => Promise<unknown>) => void;

export function openActionRunner(trouble: Signal<string | undefined>): ActionRunner {
  return (what, work) => {
    work().catch((error: unknown) => {
      trouble.value = run().failed(what, sentenceOf(error));
    });
  };
}
