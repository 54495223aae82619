import { createHash } from 'node:crypto';
import type { Effect } from '../../../../core/capability/guard.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import { unwrap } from '../../../../core/sallyport-error.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import script from '../../../../web/gateway/page.ts?script';
import type { OpenQuestion, Runtime, Session } from '../../../api.ts';
import { deferred } from '../../../async.ts';
import type { McpTool } from '../client/api.ts';
import { effectOf } from '../client/declarations.ts';
import { AllowedList } from './allowed-list.ts';
import type { ConfiguredGrant, DeclaredEffect, GatewayConfiguration } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import { heldPart } from './held-html.ts';
import { type ActResult, type AnswerDetails, type EditedCard, GatewayPage } from './page.ts';
import {
  editedCard,
  newRunRows,
  type PageContent,
  type PageSections,
  type RunRows,
  type ShownChange,
  type ShownQuestion,
  type ShownRule,
  sectionsOf,
  withRecord,
} from './page-html.ts';
import { type CommandPolicy, SIGNED_ALONE, wantsSigned } from './policy.ts';
import { type PageAnswer, type PageQuestion, Questions, type SeenTool } from './questions.ts';
import { GatewayRules } from './rules.ts';
import type { GatewayServers } from './servers.ts';
import { GatewaySigners, signersIn } from './signers.ts';
import { type GatewayTool, type GatewayTools, isWatched } from './tools.ts';
import { momentText, type WatchFile, type WatchWish } from './watch.ts';

/** Runs that the page shows. */
const RUNS_MAX = 5;
/** ms in which changes become a single update of the page. */
const TELL_MS = 30;

/** What a person says that a tool does. It is another capability then, so the call that it was said at ends first. */
interface Said {
  readonly effect: Effect;
  readonly ended: Promise<void>;
}

function isOffered({ asksOn = [] }: Pick<ShownQuestion, 'asksOn'>, effect: Effect): boolean {
  return asksOn.includes(effect);
}

const GONE: ActResult = {
  isDone: false,
  message: 'This call does not wait any more: it was answered, or it has ended.',
};
const REPLACED: ActResult = {
  isDone: false,
  message:
    'The tool was changed while its call waited, so the call cannot run. Nothing was allowed: deny it, and the host can call again.',
};
const CHANGED: ActResult = {
  isDone: false,
  message: 'The tool is another than on the card that you have answered. Nothing was allowed: read the new card.',
};

interface DeskParts {
  readonly tools: GatewayTools;
  readonly servers: GatewayServers;
  readonly config: ConfigFile;
  readonly ledger: string;
  readonly runtime: Promise<
    Pick<Runtime, 'runs' | 'ledger' | 'undo' | 'grants' | 'held' | 'questions' | 'tools' | 'openSession'>
  >;
  readonly command: CommandPolicy;
  readonly watch: WatchFile;
  readonly say: (line: string) => void;
  /** Shows the person an address in a browser, and tells whether that worked. Absent: addresses are said. */
  readonly show?: ((address: string) => Promise<boolean>) | undefined;
  /** Fixed port of the page, at `localhost`. */
  readonly port?: number | undefined;
}

/** ms in which a browser that was asked to show the page is not asked again. */
const SHOW_MS = 10_000;

/** The page with the questions of the sessions, their runs, and the changed definitions. */
export class GatewayDesk {
  readonly #parts: DeskParts;
  readonly #page: GatewayPage;
  readonly #questions: Questions;
  readonly #rules: GatewayRules;
  readonly #allowed: AllowedList;
  readonly #signers: GatewaySigners;
  readonly #recent = new RecentCalls();
  readonly #runs = new Map<string, RunRows>();
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #shownAt = 0;
  /** Called with the receipt of a step. */
  readonly #ended = new Map<string, () => void>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#rules = new GatewayRules(parts);
    const { config, runtime, tools } = parts;
    this.#signers = new GatewaySigners({ config, runtime, changed: () => tools.refresh() });
    this.#allowed = new AllowedList({
      runtime: parts.runtime,
      entries: () => this.#standing('grants').map(({ id, entry }) => ({ entry, ...this.#rule({ id, entry }) })),
      endWatch: () => this.#watch(),
    });
    this.#questions = new Questions(
      (name) => parts.tools.find(name),
      (asked) => this.#asked(asked),
    );
    void parts.runtime.then((opened) => this.#questions.read(opened, this.#ending.signal)).catch(() => undefined);
    this.#page = new GatewayPage({
      script,
      sections: () => this.#sections(),
      answer: (...given) => this.#answer(...given),
      edit: (...given) => this.#edit(...given),
      accept: (...change) => this.#accept(...change),
      takeBack: (id) => this.#takeBack(id),
      allowed: () => this.#allowed.read(),
      held: async (run_id, handle) => heldPart(unwrap(await (await parts.runtime).held.open(run_id, handle))),
      rule: (ask) => this.#rules.reply(ask),
      undo: (...step) => this.#undo(...step),
      watch: (wish) => this.#watch(wish),
      passkey: (signer) => this.#signers.add(signer),
    });
  }

  /** Tells the person a line, with the way to the page. */
  async call(line: string): Promise<void> {
    const { say, show } = this.#parts;
    if (show === undefined) return say(`${line} at ${this.#page.newAddress()}`);
    if (this.#page.isWatched || Date.now() - this.#shownAt < SHOW_MS) return say(`${line} in your browser`);
    this.#shownAt = Date.now();
    const isShown = await show(this.#page.newAddress()).catch(() => false);
    say(isShown ? `${line} in your browser` : 'No browser could be opened. Start sallyport mcp without --open');
  }

  /** Opens the page. `port_taken` */
  open(): Promise<void> {
    return this.#page.open(this.#parts.port);
  }

  get origin(): string {
    return this.#page.origin;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#rules.close();
    await this.#page.close();
  }

  /** Shows the records of a session, and takes answers to its questions. */
  follow(session: Session): void {
    this.#questions.follow(session);
    void this.#read(session).catch(() => undefined);
  }

  /** Shows the newest state soon. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#page.changed();
    }, TELL_MS);
    this.#timer.unref();
  }

  async #read({ run }: Pick<Session, 'run'>): Promise<void> {
    for await (const record of run.records({ signal: this.#ending.signal })) {
      this.#recent.read(record);
      if (record.kind === 'receipt') this.#end(record.body.receipt.step_id);
      const rows = withRecord(this.#runs.get(run.id) ?? newRunRows(run.id), record);
      this.#runs.delete(run.id);
      this.#runs.set(run.id, rows);
      for (const old of [...this.#runs.keys()].slice(0, -RUNS_MAX)) this.#runs.delete(old);
      this.changed();
    }
  }

  #end(step_id: string): void {
    this.#ended.get(step_id)?.();
    this.#ended.delete(step_id);
  }

  #asked(question: OpenQuestion | undefined): void {
    this.changed();
    if (question === undefined || this.#page.isWatched) return;
    void this.call(`${question.capability} (${question.effect}) asks. Answer`);
  }

  #sections(): PageSections {
    const { servers, config, ledger, tools } = this.#parts;
    return sectionsOf({
      questions: this.#questions.open().map((each) => this.#shown(each)),
      changes: this.changes(),
      effects: this.#standing('effects').map((rule) => ({ ...this.#rule(rule), effect: rule.entry.effect })),
      tools: tools.all().map(({ tool, capability_hash, terms: { effect } }) => {
        return { tool, effect, recent: this.#recent.count(capability_hash) };
      }),
      ...this.#watched(),
      runs: [...this.#runs.values()].reverse(),
      canRevert: (name) => tools.find(name)?.terms.revert !== undefined,
      servers: servers.rows(),
      config: config.path,
      signers: signersIn(config.value),
      ledger,
    });
  }

  #watched(): Pick<PageContent, 'watch'> {
    const { watch: file, tools } = this.#parts;
    const watch = file.current(Date.now());
    if (watch === undefined) return {};
    const { until, note, egress = false } = watch;
    const lifted = tools.all().filter((each) => watch.definitions.includes(each.definition) && isWatched(each, watch));
    return { watch: { until: momentText(until), tools: lifted.length, egress, ...(note !== undefined && { note }) } };
  }

  /** Begins a watch of the definitions that are as they were pinned, or ends it. */
  async #watch(wish?: WatchWish): Promise<ActResult> {
    const { watch: file, tools } = this.#parts;
    try {
      const pinned = tools.all().flatMap(({ definition, changed }) => (changed === undefined ? [definition] : []));
      const begun = wish && (await file.begin(wish, pinned, Date.now()));
      const isDone = begun === undefined ? await file.end(Date.now()) : begun.isNew;
      await tools.refresh();
      const until = momentText(begun?.watch.until ?? Date.now());
      if (begun === undefined) return { isDone, message: isDone ? 'The watch has ended.' : 'No watch was under way.' };
      return { isDone, message: isDone ? `Watching until ${until}.` : `A watch is under way until ${until}.` };
    } catch (error) {
      return { isDone: false, message: visibleLine((error as Error).message) };
    }
  }

  #shown(asked: PageQuestion): ShownQuestion {
    const { tool } = asked;
    if (this.#isReplaced(asked)) return { ...asked, labels: [], isReplaced: true };
    if (tool === undefined) return { ...asked, labels: [] };
    const { server, definition, revision, declaration, terms } = tool;
    return {
      ...asked,
      server,
      definition,
      revision,
      description: JSON.stringify(declaration, null, 2),
      labels: terms.labels ?? [],
      recent: this.#recent.count(asked.question.capability_hash),
      ...this.#asksOn(tool),
    };
  }

  /** Where the guard goes on asking after a grant: the effects below this one that the server's hints permit. */
  #asksOn({ terms: { effect }, declaration }: GatewayTool): Pick<ShownQuestion, 'asksOn'> {
    if (!this.#parts.config.value.guard || (effect !== 'write' && effect !== 'egress')) return {};
    const below: readonly Effect[] = effect === 'egress' ? ['read', 'write'] : ['read'];
    return { asksOn: below.filter((each) => effectOf(declaration as unknown as McpTool, each, false) === each) };
  }

  /** The tool is not any more what it was when its call was decided: this call cannot run. */
  #isReplaced({ question, tool }: PageQuestion): boolean {
    return this.#parts.tools.find(question.capability)?.revision !== tool?.revision;
  }

  /** The tools whose definitions differ from their pins. */
  changes(): readonly ShownChange[] {
    return this.#parts.tools.all().flatMap(({ tool, server, definition, revision, changed, terms }) => {
      return changed === undefined ? [] : [{ tool, server, definition, revision, effect: terms.effect, ...changed }];
    });
  }

  /** A yes counts for the tool that its card has shown, if that is still the tool that the call is about. */
  async #answer(
    digest: string,
    answer: PageAnswer,
    seen: SeenTool,
    { effect, ...details }: AnswerDetails,
  ): Promise<ActResult> {
    const asked = this.#questions.find(digest);
    if (asked === undefined) return GONE;
    const obstacle = answer === 'deny' ? undefined : this.#obstacle(asked, seen);
    if (obstacle !== undefined) return obstacle;
    if (effect !== undefined && (asked.tool === undefined || !isOffered(this.#asksOn(asked.tool), effect)))
      return CHANGED;
    const ended = new Promise<void>((resolve) => void this.#ended.set(asked.question.step_id, resolve));
    const question = await this.#questions
      .answer(digest, answer, details)
      .catch((error: unknown) => visibleLine((error as Error).message));
    if (typeof question === 'string') return { isDone: false, message: question };
    if (question === undefined) return GONE;
    const name = visibleLine(question.capability);
    if (details.signed !== undefined && this.#questions.isAsked(question))
      return { isDone: true, message: `Signed. Another person has to sign before ${name} runs.` };
    if (answer === 'deny') return { isDone: true, message: `${name} was denied.` };
    if (details.instead !== undefined) return { isDone: true, message: `${name} runs once, as you have changed it.` };
    if (answer === 'once' || asked.tool === undefined) return { isDone: true, message: `${name} runs once.` };
    return this.#always(question.capability, asked.tool.definition, effect && { effect, ended });
  }

  /** Why a yes to what a card has shown does not count. */
  #obstacle(asked: PageQuestion, seen: SeenTool): ActResult | undefined {
    const { definition = '', revision = 0 } = asked.tool ?? {};
    if (this.#isReplaced(asked)) return REPLACED;
    return seen.definition === definition && seen.revision === revision ? undefined : CHANGED;
  }

  /** The card of the edited call. The page keeps it, and the desk keeps nothing: the yes is judged anew. */
  async #edit(digest: string, args: string, seen: SeenTool): Promise<EditedCard | ActResult> {
    const asked = this.#questions.find(digest);
    if (asked === undefined) return GONE;
    const obstacle = this.#obstacle(asked, seen);
    if (obstacle !== undefined) return obstacle;
    try {
      const question = await this.#questions.edit(digest, args);
      if (question === undefined) return GONE;
      const card = editedCard({ ...this.#shown(asked), question }, this.#parts.config.path);
      return { ...card, instead: { args: question.args, digest: question.digest } };
    } catch (error) {
      return { isDone: false, message: visibleLine((error as Error).message) };
    }
  }

  async #always(tool: string, definition: string, said?: Said): Promise<ActResult> {
    const { config, tools } = this.#parts;
    if (wantsSigned(config.value, tool))
      return {
        isDone: true,
        message: `${visibleLine(tool)} runs for the rest of this run. No grant was written: ${SIGNED_ALONE}`,
      };
    try {
      await config.add({ tool, mode: 'allow', definition }, said && { tool, effect: said.effect, definition });
      const refreshed = (said?.ended ?? Promise.resolve()).then(() => tools.refresh());
      if (said === undefined) await refreshed;
      else refreshed.catch(() => undefined);
      return { isDone: true, message: `${visibleLine(tool)} runs, and a grant is written into ${config.path}.` };
    } catch (error) {
      return {
        isDone: true,
        message: `${visibleLine(tool)} runs for the rest of this run. The grant was not written: ${visibleLine((error as Error).message)}`,
      };
    }
  }

  async #accept({ definition, revision }: SeenTool, pinned: string): Promise<ActResult> {
    const tool = await this.#parts.tools.accept(definition, revision, pinned);
    return tool === undefined
      ? { isDone: false, message: 'This definition is another by now. Compare it again.' }
      : { isDone: true, message: `The new definition of ${visibleLine(tool)} is pinned. Its calls ask from now on.` };
  }

  /** Entries of the configuration that a person can take back, each once: an entry that is repeated says the same. */
  #standing<L extends RuleList>(list: L): readonly StandingRule<L>[] {
    const entries: readonly RuleEntry<L>[] = this.#parts.config.value[list];
    const rules = entries.flatMap((entry) => {
      if ('mode' in entry && entry.mode === 'deny') return [];
      const id = createHash('sha256')
        .update(`${list} ${canonicalText(entry as never)}`)
        .digest('hex');
      return [[id, { id, list, entry }] as const];
    });
    return [...new Map(rules).values()];
  }

  #rule({ id, entry }: Omit<StandingRule<RuleList>, 'list'>): ShownRule {
    const { tool, definition } = entry;
    const idle = this.#idle(entry);
    return { id, tool, ...(definition !== undefined && { definition }), ...(idle !== undefined && { idle }) };
  }

  #idle(entry: DeclaredEffect | ConfiguredGrant): ShownRule['idle'] {
    const found = this.#parts.tools.find(entry.tool);
    if (found === undefined) return 'absent';
    if (!('signed' in entry) && entry.definition !== undefined && entry.definition !== found.definition) return 'other';
    return 'effect' in entry && entry.effect !== found.terms.effect ? 'stricter' : undefined;
  }

  /**
   * Takes the calls of a step back, in a run of its own, whose questions are cards of this page. Tells how far it came until
   * its first question.
   */
  async #undo(run_id: string, step: number): Promise<ActResult> {
    const { promise: asked, resolve: ask } = deferred<'asked'>();
    const undo = (await this.#parts.runtime).undo({
      run: run_id,
      step,
      onRun: (run) => {
        this.#questions.follow({ run });
        void this.#read({ run }).catch(() => undefined);
        run.watch(({ pending }) => {
          if (pending !== undefined) ask('asked');
        });
      },
    });
    try {
      const end = await Promise.race([undo, asked]);
      undo.catch(() => undefined);
      if (end === 'asked')
        return { isDone: true, message: `The undo of step ${step} asks: read its card, and answer.` };
      const [failed] = end.failed === undefined ? [] : [end.failed];
      if (failed === undefined) return { isDone: true, message: `Step ${step} is taken back.` };
      return { isDone: false, message: `Step ${step} stands: ${visibleLine(failed.refusal.message)}` };
    } catch (error) {
      return { isDone: false, message: visibleLine((error as Error).message) };
    }
  }

  /** The next call is decided without the entry, in every run. */
  async #takeBack(id: string): Promise<ActResult> {
    const { config, tools } = this.#parts;
    const found = [...this.#standing('effects'), ...this.#standing('grants')].find((each) => each.id === id);
    if (found === undefined) return (await this.#allowed.takeBack(id)) ?? NOTHING;
    const tool = visibleLine(found.entry.tool);
    if ('signed' in found.entry) return { isDone: false, message: `Nothing was taken back: ${SIGNED_ALONE}` };
    try {
      await config.remove(found.list, found.entry);
      await tools.refresh();
      return { isDone: true, message: `What you have said of ${tool} is taken back, and is out of ${config.path}.` };
    } catch (error) {
      return { isDone: false, message: `Nothing was taken back: ${visibleLine((error as Error).message)}` };
    }
  }
}

type RuleList = 'effects' | 'grants';
type RuleEntry<L extends RuleList> = GatewayConfiguration[L][number];

interface StandingRule<L extends RuleList> {
  /** Hash of the list and the entry. */
  readonly id: string;
  readonly list: L;
  readonly entry: RuleEntry<L>;
}

const NOTHING: ActResult = { isDone: false, message: 'This does not stand any more.' };

const HOUR_MS = 3_600_000;
/** Times that are kept of a tool. */
const TIMES_MAX = 10_000;

/** Calls that were decided lately, by the hash of their capability. */
class RecentCalls {
  readonly #times = new Map<string, number[]>();

  read({ kind, body, at }: LedgerRecord): void {
    if (kind !== 'decision' || body.decision === 'REQUIRES_APPROVAL') return;
    const times = this.#times.get(body.capability_hash) ?? [];
    times.push(at);
    if (times.length > TIMES_MAX) times.splice(0, times.length - TIMES_MAX);
    this.#times.set(body.capability_hash, times);
  }

  count(hash: string): number {
    const since = Date.now() - HOUR_MS;
    return this.#times.get(hash)?.filter((at) => at >= since).length ?? 0;
  }
}
