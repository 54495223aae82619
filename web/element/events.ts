import type { LedgerRecord, Report } from '../../core/index.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  ConsentRequest,
  RunEnd,
  RuntimeInfo,
  RunView,
} from '../../workers/api.ts';
import type { SallyportRun } from './sallyport-run.ts';

/** A question for a person. A listener that cancels the event answers in the element's place. */
export interface AskedDetail {
  readonly request: ApprovalRequest | ConsentRequest;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** The events that the element dispatches; all of them bubble, out of shadow trees too. */
export interface RunEvents {
  'sallyport-ready': CustomEvent<RuntimeInfo>;
  'sallyport-record': CustomEvent<LedgerRecord>;
  'sallyport-state': CustomEvent<RunView>;
  'sallyport-approval': CustomEvent<AskedDetail>;
  'sallyport-done': CustomEvent<RunEnd>;
  'sallyport-tamper': CustomEvent<Report>;
  'sallyport-error': CustomEvent<unknown>;
}

declare global {
  interface HTMLElementTagNameMap {
    'sallyport-run': SallyportRun;
  }
  interface HTMLElementEventMap extends RunEvents {}
}
