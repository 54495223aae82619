import { effect } from '@preact/signals-core';
import type { OpenRuntime } from '../lab/lab.ts';
import { BLANK, type CapabilityDraft } from './draft.ts';
import { type DraftEdits, openDraftEdits } from './draft-edits.ts';
import { type DraftLab, openDraftLab } from './draft-lab.ts';
import { keepDrafts } from './draft-storage.ts';
import { type DraftTrials, openDraftTrials } from './draft-trials.ts';

/** A capability being written, and tried in a lab of its own. The page's runtime never registers it. */
export interface Workshop
  extends Omit<DraftEdits, 'base' | 'replace'>,
    Omit<DraftLab, 'propose'>,
    Omit<DraftTrials, 'restart'> {
  open(draft: CapabilityDraft, script?: readonly string[]): void;
}

export function openWorkshop(open: OpenRuntime): Workshop {
  const storage = keepDrafts();
  const first = storage.read();
  const edits = openDraftEdits(first ?? { draft: BLANK, base: BLANK });
  const { draft, base } = edits;
  const lab = openDraftLab(open, edits.reading);
  const trials = openDraftTrials({ draft, lab, first });
  const { args, script } = trials;
  effect(() => storage.write({ draft: draft.value, base: base.value, args: args.value, script: script.value }));
  return {
    ...edits,
    ...lab,
    ...trials,
    open: (next, texts = []) => {
      edits.replace(next);
      trials.restart(next, texts);
    },
  };
}
