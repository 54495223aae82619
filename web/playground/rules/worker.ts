/**
 * Worker that proposes rules: a long history is read and decided here, and not on the page's thread. The page hands in
 * its exports; they are data.
 */
import type { KnownDefinition, PastUse } from '../../../core/index.ts';
import { parseExport } from '../../../core/index.ts';
import { usesInExport } from '../../../core/privilege/history.ts';
import {
  draftRule,
  type RuleChanges,
  type RuleDraft,
  type TriedDraft,
  tryDraft,
} from '../../../core/privilege/revise.ts';
import type { WrittenGrant } from '../../../core/privilege/try.ts';
import { holdsKey } from '../../../workers/bridges/models/secrets.ts';

/** What the page asks of the worker. Requests are answered in their order. */
export type RuleRequest =
  | { readonly kind: 'open'; readonly definition: KnownDefinition }
  | { readonly kind: 'export'; readonly text: string }
  | { readonly kind: 'draft'; readonly changes: RuleChanges }
  | { readonly kind: 'try'; readonly changes: RuleChanges; readonly beside: readonly WrittenGrant[] };

export type RuleAnswer =
  | { readonly kind: 'export' | 'open' }
  | { readonly kind: 'draft'; readonly draft?: RuleDraft }
  | { readonly kind: 'try'; readonly tried?: TriedDraft }
  | { readonly kind: 'failed'; readonly message: string };

/** A request with its number, which its answer has too. */
export interface AskedRule {
  readonly id: number;
  readonly request: RuleRequest;
}
export interface AnsweredRule {
  readonly id: number;
  readonly answer: RuleAnswer;
}

let definition: KnownDefinition | undefined;
let uses: PastUse[] = [];

function draftOf(changes: RuleChanges): RuleDraft | undefined {
  return definition && draftRule(uses, { definition, changes, isSecret: holdsKey });
}

function answerTo(request: RuleRequest): RuleAnswer {
  switch (request.kind) {
    case 'open':
      definition = request.definition;
      uses = [];
      return { kind: 'open' };
    case 'export':
      for (const use of usesInExport(parseExport(request.text))) if (use.name === definition?.name) uses.push(use);
      return { kind: 'export' };
    case 'draft': {
      const draft = draftOf(request.changes);
      return { kind: 'draft', ...(draft && { draft }) };
    }
    case 'try': {
      const draft = draftOf(request.changes);
      if (definition === undefined || draft === undefined) return { kind: 'try' };
      const { beside } = request;
      return { kind: 'try', tried: tryDraft(uses, draft, { definition, beside, isSecret: holdsKey }) };
    }
  }
}

addEventListener('message', ({ data: { id, request } }: MessageEvent<AskedRule>) => {
  postMessage({ id, answer: answered(request) } satisfies AnsweredRule);
});

function answered(request: RuleRequest): RuleAnswer {
  try {
    return answerTo(request);
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message };
  }
}
