import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../../core/json/value.ts';
import { isObject } from '../../../../core/json/value.ts';
import { parseExport } from '../../../../core/ledger/export.ts';
import { type PastUse, usesInExport } from '../../../../core/privilege/history.ts';
import {
  draftRule,
  grantsIn,
  type RuleChanges,
  type RuleDraft,
  type TriedDraft,
  tryDraft,
} from '../../../../core/privilege/revise.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { Runtime } from '../../../api.ts';
import { holdsKey } from '../../models/secrets.ts';
import type { ConfiguredGrant } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import { type CommandPolicy, grantsFor, SIGNED_ALONE, wantsSigned } from './policy.ts';
import type { GatewayTool, GatewayTools } from './tools.ts';

/** What a page asks about the rule of a tool. `id` names an open dialog of a page. */
export interface RuleAsk {
  readonly id: string;
  readonly tool: string;
  readonly act: 'draft' | 'try' | 'accept' | 'close';
  readonly changes: RuleChanges;
}

export type RuleReply =
  /** The recorded calls are still read: ask again. */
  | { readonly status: 202; readonly value: { readonly share: number } }
  | { readonly status: 200; readonly value: { readonly draft?: RuleDraft; readonly replaces: number } }
  | { readonly status: 200; readonly value: { readonly tried: TriedDraft } }
  | { readonly status: 200 | 409; readonly value: { readonly message: string } };

interface RulesParts {
  readonly runtime: Promise<Pick<Runtime, 'runs' | 'ledger'>>;
  readonly tools: GatewayTools;
  readonly config: ConfigFile;
  readonly command: CommandPolicy;
}

/** A dialog with the calls that it speaks of. They stay as they were read, so that a person accepts what was drawn. */
interface OpenDialog {
  readonly tool: GatewayTool;
  /** Text of the configuration when the dialog was opened. */
  readonly config: string;
  readonly uses: PastUse[];
  readonly ending: AbortController;
  share: number;
  reading: Promise<void>;
}

/** Dialogs that are open at a time: the oldest ends. */
const DIALOGS_MAX = 4;
/** Calls of a tool that a dialog reads, from the newest run on. */
const USES_MAX = 20_000;
/** ms that a request waits for the reading. */
const WAIT_MS = 500;
/** ms of work after which the gateway serves its calls first. */
const SLICE_MS = 20;

/** Proposes rules for the tools of a gateway, from its ledger, and writes those that a person accepts. */
export class GatewayRules {
  readonly #parts: RulesParts;
  readonly #dialogs = new Map<string, OpenDialog>();

  constructor(parts: RulesParts) {
    this.#parts = parts;
  }

  async reply(ask: RuleAsk): Promise<RuleReply> {
    if (ask.act === 'close') return this.#close(ask.id);
    const dialog = this.#dialogs.get(ask.id) ?? this.#open(ask);
    if (dialog === undefined || this.#parts.tools.find(ask.tool)?.revision !== dialog.tool.revision)
      return failed(`${visibleLine(ask.tool)} is another tool by now. Close this, and propose a rule anew.`);
    try {
      const isRead = await Promise.race([dialog.reading.then(() => true), wait(WAIT_MS, false, { ref: false })]);
      if (!isRead) return { status: 202, value: { share: dialog.share } };
      return await this.#act(ask, dialog);
    } catch (error) {
      if (ask.act === 'draft') this.#close(ask.id);
      return failed(visibleLine((error as Error).message));
    }
  }

  close(): void {
    for (const id of this.#dialogs.keys()) this.#close(id);
  }

  async #act({ act, changes }: RuleAsk, dialog: OpenDialog): Promise<RuleReply> {
    const { tool, uses } = dialog;
    const definition = definitionOf(tool);
    const draft = draftRule(uses, { definition, changes, isSecret: holdsKey });
    if (act === 'draft') {
      const replaces = this.#grantsOf(tool).filter(({ mode }) => mode !== 'deny').length;
      return { status: 200, value: { ...(draft && { draft }), replaces } };
    }
    if (draft === undefined) return failed('The rule would cover no call.');
    if (act === 'accept') return this.#accept(draft, dialog);
    const { config, command } = this.#parts;
    const denials = this.#grantsOf(tool).filter(({ mode }) => mode === 'deny');
    const beside = grantsFor(subjectOf(tool), denials, command).map((grant) => ({ ...grant, capability: tool.tool }));
    const tried = tryDraft(uses, draft, { definition, beside, guarded: config.value.guard, isSecret: holdsKey });
    return { status: 200, value: { tried } };
  }

  /** The configured grants that hold for the definition of a tool. */
  #grantsOf({ tool, definition }: GatewayTool): readonly ConfiguredGrant[] {
    return this.#parts.config.value.grants.filter(
      (grant) => grant.tool === tool && (grant.mode === 'deny' || (grant.definition ?? definition) === definition),
    );
  }

  async #accept(draft: RuleDraft, { tool, config: seen }: OpenDialog): Promise<RuleReply> {
    const { config, tools, command } = this.#parts;
    const { tool: name, definition } = tool;
    if (wantsSigned(config.value, name)) return failed(`The rule was not written: ${SIGNED_ALONE}`);
    const grants = grantsIn(draft).map(({ capability: _, ...terms }) => ({ tool: name, ...terms, definition }));
    await config.replaceGrants(name, definition, grants as readonly ConfiguredGrant[], seen);
    await tools.refresh();
    const allowed = grantsFor(subjectOf(tool), [], command).some(({ mode }) => mode === 'allow')
      ? ' The command line still permits every call of it: start without --allow.'
      : '';
    return {
      status: 200,
      value: {
        message: `The rule for ${visibleLine(name)} is written into ${config.path}. It stands under What you have allowed, where you can take it back.${allowed}`,
      },
    };
  }

  #open({ id, tool: name }: RuleAsk): OpenDialog | undefined {
    const tool = this.#parts.tools.find(name);
    if (tool === undefined) return undefined;
    const ending = new AbortController();
    const dialog: OpenDialog = {
      tool,
      config: this.#parts.config.text,
      uses: [],
      ending,
      share: 0,
      reading: Promise.resolve(),
    };
    dialog.reading = this.#read(dialog);
    dialog.reading.catch(() => undefined);
    this.#dialogs.set(id, dialog);
    for (const old of [...this.#dialogs.keys()].slice(0, -DIALOGS_MAX)) this.#close(old);
    return dialog;
  }

  async #read(dialog: OpenDialog): Promise<void> {
    const { uses, tool, ending } = dialog;
    const { runs, ledger } = await this.#parts.runtime;
    const own = (await runs()).filter(({ foreign }) => foreign !== true).sort((one, other) => other.at - one.at);
    let began = performance.now();
    for (const [at, { run_id }] of own.entries()) {
      dialog.share = at / own.length;
      const file = parseExport(await ledger.export(run_id));
      ending.signal.throwIfAborted();
      for (const use of usesInExport(file)) if (use.name === tool.tool) uses.push(use);
      if (uses.length >= USES_MAX) break;
      if (performance.now() - began < SLICE_MS) continue;
      await turn();
      began = performance.now();
    }
  }

  #close(id: string): RuleReply {
    this.#dialogs.get(id)?.ending.abort();
    this.#dialogs.delete(id);
    return { status: 200, value: { message: '' } };
  }
}

function failed(message: string): RuleReply {
  return { status: 409, value: { message } };
}

function definitionOf({ tool: name, capability_hash: hash, terms: { effect } }: GatewayTool) {
  return { name, hash, effect };
}

function subjectOf({ tool: name, definition, terms: { effect }, changed }: GatewayTool) {
  return { name, effect, definition, ...(changed !== undefined && { pinned: changed.pinned }) };
}

/** What a request asks; undefined for a value of another form. */
export function ruleAskIn({ id, tool, act, changes }: JsonObject): RuleAsk | undefined {
  const isAct = act === 'draft' || act === 'try' || act === 'accept' || act === 'close';
  if (typeof id !== 'string' || id.length > 64 || typeof tool !== 'string' || !isAct) return undefined;
  return isChanges(changes) ? { id, tool, act, changes } : undefined;
}

function isChanges(value: unknown): value is RuleChanges {
  if (!isObject(value)) return false;
  const { mode, places } = value;
  const isMode = mode === undefined || mode === 'allow' || mode === 'ask';
  return isMode && (places === undefined || (isObject(places) && Object.values(places).every(isPlaceChange)));
}

function isPlaceChange(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { without, taken, form } = value;
  const areLists = [without, taken].every((list) => list === undefined || Array.isArray(list));
  return areLists && (form === undefined || typeof form === 'string');
}
