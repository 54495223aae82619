import { html, type TemplateResult } from 'lit';
import type { KnownDefinition, PlaceInHistory, WrittenGrant } from '../../../core/index.ts';
import { grantsIn, type RuleChanges, type RuleDraft, type TriedDraft } from '../../../core/privilege/revise.ts';
import type { CapabilityRow, Runtime } from '../../../workers/api.ts';
import {
  defineRuleDialog,
  type OfferedRule,
  type RuleDialog,
  type RulePort,
  type RuleWork,
} from '../../shared/rule-dialog.ts';
import { speech } from '../../texts/area.ts';
import { rules } from '../../texts/en/rules.ts';
import { scriptPolicy } from '../../worker.ts';
import { ruleAsks } from '../parts/dialog-asks.ts';
import { termsOf } from '../parts/grant-terms.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import type { AnsweredRule, AskedRule, RuleAnswer, RuleRequest } from './worker.ts';
import workerUrl from './worker.ts?worker&url';

/** Opens the dialog of rules for the capability that is asked for. */
export class ProposeRule extends View {
  protected override view(): TemplateResult {
    const asked = ruleAsks.value;
    if (asked !== undefined) queueMicrotask(() => this.#open(asked));
    return html`<sp-rule .language=${speech().language}></sp-rule>`;
  }

  #open(name: string): void {
    ruleAsks.value = undefined;
    const row = this.store.catalogue.rows.peek()?.find((each) => each.name === name);
    const dialog = this.renderRoot.querySelector<RuleDialog>('sp-rule');
    if (row !== undefined) void dialog?.show(portOf(this.store, row));
  }
}

/** The rules of the runtime of this page, from the runs of this device. */
function portOf(store: Playground, row: CapabilityRow): RulePort {
  const { runtime, catalogue } = store;
  const { name, hash, effect, host } = row;
  const history = new HistoryReader(runtime, { name, hash, effect, ...(host === undefined && { isInside: true }) });
  const own = () => catalogue.grants.peek().filter(({ capability_hash }) => capability_hash === hash);
  const denials = (): readonly WrittenGrant[] =>
    own().flatMap((grant) => (grant.mode === 'deny' ? [{ capability: name, ...termsOf(grant) }] : []));
  return {
    tool: name,
    asksOutside: false,
    draft: async (changes, work): Promise<OfferedRule> => {
      const draft = await history.draft(changes, work);
      return {
        ...(draft && { draft }),
        replaces: own().filter(({ mode, watch }) => mode !== 'deny' && watch === undefined).length,
      };
    },
    attempt: (changes, work) => history.attempt(changes, denials(), work),
    accept: async (_, drawn) => {
      await catalogue.narrow(hash, grantsIn(drawn));
      return rules().accepted;
    },
    open: (place) => void openStep(store, place),
    closed: () => history.close(),
  };
}

async function openStep(
  { openRun, view, session, selection, column }: Playground,
  place: PlaceInHistory,
): Promise<void> {
  view.value = 'run';
  if (session.peek()?.id !== place.run_id) await openRun(place.run_id);
  const group = session
    .peek()
    ?.steps.peek()
    .find(({ step }) => step === place.step);
  const last = group?.records.at(-1);
  if (last !== undefined) selection.select(last.run_seq);
  column.value = 'inspector';
}

/** ms after which work that nobody waits for is ended with its worker. */
const LONG_MS = 300;

/** Reads the runs of this device in a worker, once, and keeps them there until it is closed. */
class HistoryReader {
  readonly #runtime: Runtime;
  readonly #definition: KnownDefinition;
  #worker: Worker | undefined;
  #isRead = false;
  #asked = 0;

  constructor(runtime: Runtime, definition: KnownDefinition) {
    this.#runtime = runtime;
    this.#definition = definition;
  }

  async draft(changes: RuleChanges, work: RuleWork): Promise<RuleDraft | undefined> {
    await this.#read(work);
    const answer = await this.#ask({ kind: 'draft', changes }, work.signal);
    return answer.kind === 'draft' ? answer.draft : undefined;
  }

  async attempt(changes: RuleChanges, beside: readonly WrittenGrant[], work: RuleWork): Promise<TriedDraft> {
    await this.#read(work);
    const answer = await this.#ask({ kind: 'try', changes, beside }, work.signal);
    if (answer.kind !== 'try' || answer.tried === undefined) throw new Error(rules().noneLeft);
    return answer.tried;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isRead = false;
  }

  async #read({ signal, progress }: RuleWork): Promise<void> {
    if (this.#isRead) return;
    this.close();
    this.#worker = new Worker(scriptPolicy().createScriptURL(workerUrl), { type: 'module', name: 'sallyport-rules' });
    await this.#ask({ kind: 'open', definition: this.#definition }, signal);
    const runs = (await this.#runtime.runs()).filter(({ foreign }) => foreign !== true);
    for (const [at, { run_id }] of runs.entries()) {
      progress(at / runs.length);
      const text = await this.#runtime.ledger.export(run_id);
      signal.throwIfAborted();
      await this.#ask({ kind: 'export', text }, signal);
    }
    this.#isRead = true;
  }

  /** An abort ends work that has taken long, with all that was read; other work ends by itself, unheard. */
  #ask(request: RuleRequest, signal: AbortSignal): Promise<RuleAnswer> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      if (worker === undefined) return reject(new DOMException('closed', 'AbortError'));
      const began = performance.now();
      const end = new AbortController();
      const fail = (why: unknown): void => {
        end.abort();
        reject(why);
      };
      const abort = (): void => {
        if (performance.now() - began > LONG_MS) this.close();
        fail(signal.reason);
      };
      const id = ++this.#asked;
      const hear = ({ data: { id: of, answer } }: MessageEvent<AnsweredRule>): void => {
        if (of !== id) return;
        if (answer.kind === 'failed') return fail(new Error(answer.message));
        end.abort();
        resolve(answer);
      };
      worker.addEventListener('message', hear, { signal: end.signal });
      worker.addEventListener('error', ({ message }) => fail(new Error(message)), { signal: end.signal });
      signal.addEventListener('abort', abort, { signal: end.signal });
      worker.postMessage({ id, request } satisfies AskedRule);
    });
  }
}

defineRuleDialog();
customElements.define('sp-rule-ask', ProposeRule);
