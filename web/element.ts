/**
 * `sallyport/element`: registers `<sallyport-run>` where there is a document; importing it on a server has no effect.
 * Self-contained, so that a page without a bundler can load the file as it is.
 */
import type { JsonValue, YesSigner } from '../core/index.ts';
import type { ApprovalAnswer, ApprovalRequest, EditedQuestion } from '../workers/api.ts';
import type { SallyportRun } from './element/sallyport-run.ts';

export type {
  AskedDetail,
  RunElementView,
  RunEvents,
  SallyportRun,
  SallyportRunProps,
} from './element/sallyport-run.ts';
export type { Scenario } from './element/scenario.ts';
export type { RunWords } from './element/words.ts';
export type * from './index.ts';

/** Loads a part, and beside it the loader, which tells why a part is gone: a slow network answers each request in half a second. */
async function loadBeside<T>(load: () => Promise<T>): Promise<T> {
  const loading = load();
  loading.catch(() => undefined);
  const { loadPart } = await import('../workers/load-part.ts');
  return loadPart(() => loading);
}

if (typeof customElements !== 'undefined') {
  const element = await loadBeside(() => import('./element/run.ts'));
  if (customElements.get('sallyport-run') === undefined) customElements.define('sallyport-run', element.RunElement);
  // oxlint-disable-next-line no-console -- whoever put two copies into a page is who has to hear it
  else console.warn('sallyport: another copy registered <sallyport-run> first, and is used.');
}

/** Options of `showApproval`. */
export interface ShowOptions {
  readonly signal?: AbortSignal;
  readonly edit?: (args: JsonValue) => Promise<EditedQuestion>;
}

/**
 * Asks a person about a call of a run that lives elsewhere, for example on a server: draws the card of the element as
 * the only child of `place`. Resolves with the answer, whose `via` is `gesture`; send it with the digest of the request.
 * Another call for the same place, and `signal`, take the card away: `signal` rejects with its reason. With `edit` a person may
 * edit the arguments of a request that is `editable`: `edit` has the run judge them, as `run.edit` does, and the answer then
 * has `instead`.
 *
 * @example await showApproval(place, request, { edit: (args) => run.edit(request.digest, args) });
 */
export async function showApproval(
  place: Element,
  request: ApprovalRequest,
  { signal, edit }: ShowOptions = {},
): Promise<ApprovalAnswer> {
  const { showCard } = await loadBeside(() => import('./element/question.ts'));
  return showCard(place, request, signal, edit);
}

/**
 * Makes a passkey on this page for the person of this name, after a press of that person: the cards of this origin sign
 * with it. Resolves with its record, which permits nothing until a grant names it. The page keeps the public key in its
 * `localStorage`. `rp` is the RP ID; absent: the host of the page. Rejects with `passkey_failed`, and with the reason of
 * `signal`.
 */
export async function makePasskey(
  name: string,
  { rp, signal }: { readonly rp?: string; readonly signal?: AbortSignal } = {},
): Promise<YesSigner> {
  const passkey = await loadBeside(() => import('./shared/passkey.ts'));
  const made = await passkey.makePasskey({ name, ...(rp !== undefined && { rp }) }, signal && { signal });
  return passkey.signerOf(made);
}

/**
 * In a page that is shown in a frame: gives the pages of these origins the element's commands and its events only.
 * Questions are answered in the frame. Call it before the page has loaded.
 */
export async function serveFrame(element: SallyportRun, origins: readonly string[]): Promise<void> {
  const { serve } = await loadBeside(() => import('./element/frame.ts'));
  serve(element, origins);
}
