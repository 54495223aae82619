import { writeFileSync } from 'node:fs';
import { makePolicy, type Policy } from '../../../core/capability/policy.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { decode } from '../../../core/json/decode.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { type ExportFile, parseExport } from '../../../core/ledger/export.ts';
import { verdictOf } from '../../../core/ledger/verdict.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import type { Outcome } from '../../../core/outcome.ts';
import {
  definitionsIn,
  type KnownDefinition,
  type PastUse,
  runInExport,
  usesIn,
} from '../../../core/privilege/history.ts';
import { type GrantProposal, proposeGrants } from '../../../core/privilege/propose.ts';
import {
  policyOf,
  type TriedPolicy,
  type TriedUse,
  tryPolicy,
  type WrittenGrant,
} from '../../../core/privilege/try.ts';
import { RULE_WORDS, ruleText } from '../../../core/privilege/words.ts';
import { comparisonOf } from '../../../core/schema/predicate.ts';
import { visibleJson, visibleLine } from '../../../core/text/visible.ts';
import { textOf } from '../../auditor/handed-in.ts';
import { type ConfiguredServer, prefixOf, readConfiguration } from '../../bridges/mcp/gateway/config.ts';
import { dataFolder, type GatewayPlaces, placesFor } from '../../bridges/mcp/gateway/data-folder.ts';
import { DefinitionPins } from '../../bridges/mcp/gateway/pins.ts';
import { holdsKey } from '../../bridges/models/secrets.ts';
import { exportRun } from '../../store/read-run.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { lookAt, refused } from './look-at.ts';
import { isSqliteThere } from './mcp.ts';
import { groupsOf } from './sources.ts';

export const LEDGER = {
  value: 'PLACE',
  help: 'A ledger: a directory or a file of SQLite. Absent, and without FILE: the ledger of sallyport mcp.',
};

export const grantsPropose: Command = {
  name: 'grants propose',
  summary: 'Proposes the narrowest grants under which no recorded call is refused.',
  operands: '[FILE…]',
  many: true,
  options: {
    ledger: LEDGER,
    config: {
      value: 'FILE',
      help: 'A configuration of sallyport mcp: the proposal stands in it, beside what it says.',
    },
    out: { value: 'FILE', help: 'Write the configuration there, and not to the terminal.' },
  },
  examples: [
    'sallyport grants propose --ledger ./ledger',
    'sallyport grants propose --config servers.json --out narrow.json',
    'sallyport grants propose run.jsonl --json',
  ],
  run: propose,
};

export const grantsTry: Command = {
  name: 'grants try',
  summary: 'Decides every recorded call again by the grants of a configuration, and says what would change.',
  operands: 'CONFIG [FILE…]',
  many: true,
  options: { ledger: LEDGER },
  examples: ['sallyport grants try narrow.json', 'sallyport grants try narrow.json --ledger ./ledger --json'],
  run: attempt,
};

/** What was read: the uses of all runs, and the definitions that the newest run offered. */
interface History {
  readonly uses: readonly PastUse[];
  readonly definitions: readonly KnownDefinition[];
  readonly runs: number;
  /** The files came from elsewhere: nobody vouches for them. */
  readonly isForeign: boolean;
}

async function propose(call: CommandCall): Promise<number> {
  const { terminal, options, json, operands } = call;
  const history = await historyOf(call, operands);
  if (typeof history === 'number') return history;
  const made = proposeGrants(history.uses, { definitions: history.definitions, isSecret: holdsKey });
  if (!made.ok) return refused(made.refusal, terminal);
  const proposal = made.value;
  const configuration = configurationWith(await configIn(call), proposal);
  const text = `${visibleJson(JSON.stringify(configuration, null, 2))}\n`;
  const { out } = options;
  if (typeof out === 'string') write(out, text);
  if (json) terminal.printJson({ ...proposal, configuration });
  else {
    tell(history, proposal, call);
    if (typeof out === 'string')
      terminal.print(`\nWritten: ${visibleLine(out)}. Try it: sallyport grants try ${visibleLine(out)}`);
    else terminal.print(`\n${text.trimEnd()}`);
  }
  return EXIT.ok;
}

/** A file that is there is never written over. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as { readonly code?: string }).code ?? 'unknown'})`);
  }
}

function tell({ runs, uses, isForeign }: History, proposal: GrantProposal, { terminal }: CommandCall): void {
  const { rules, unused, others, erased } = proposal;
  const say = (line: string): void => terminal.print(visibleLine(line));
  say(`Calls: ${uses.length}, runs: ${runs}.`);
  if (isForeign)
    say('Nobody vouches for these files: who wrote them chose what is proposed. Read each rule before you use it.');
  for (const rule of rules) {
    say(`• ${ruleText(rule, day)}`);
    say(`  ${rule.evidence.examples.map(({ run_id, step }) => `run ${run_id.slice(0, 8)} step ${step}`).join(', ')}`);
  }
  if (unused.length > 0) say(`Not used, leave out: ${unused.join(', ')}.`);
  for (const { name, calls } of others)
    say(`${name}: ${calls} calls of another definition than today's are not covered.`);
  for (const { name, calls } of erased)
    say(`${name}: the arguments of ${calls} calls were erased, so no rule covers them.`);
}

function nameIn({ tool }: JsonObject): string {
  return typeof tool === 'string' ? tool : '';
}

/** A time as the date in UTC; `?` for a number that is no time. */
export function day(at: number): string {
  return Math.abs(at) <= TIME_MAX ? new Date(at).toISOString().slice(0, 10) : '?';
}

const TIME_MAX = 8.64e15;

/** The configuration with the proposed grants in the place of the permissions for their tools; denials stay. */
function configurationWith(before: JsonObject, { rules }: GrantProposal): JsonObject {
  const tools = new Set(rules.map(({ capability }) => capability));
  const kept = (Array.isArray(before['grants']) ? (before['grants'] as readonly JsonValue[]) : []).filter(
    (grant) => !isObject(grant) || grant['mode'] === 'deny' || !tools.has(nameIn(grant)),
  );
  const made = rules.map(({ capability: tool, terms }) => ({ tool, ...(terms as unknown as JsonObject) }));
  return { ...before, grants: [...kept, ...made] };
}

/** No server is started, so no key of the environment is asked for. */
export async function configIn({ options: { config }, terminal }: CommandCall): Promise<JsonObject> {
  if (typeof config !== 'string') return {};
  const bytes = await terminal.read(config);
  const read = readConfiguration(bytes, undefined);
  if (!read.ok) throw new UsageError(`${config}: ${read.faults[0]?.message ?? 'it cannot be read'}`);
  const decoded = decode(bytes);
  return decoded.ok && isObject(decoded.value) ? decoded.value : {};
}

async function attempt(call: CommandCall): Promise<number> {
  const { terminal, json, operands } = call;
  const [config, ...files] = operands;
  if (config === undefined) throw new UsageError('No configuration was named');
  const configuration = await configIn({ ...call, options: { config } });
  const history = await historyOf(call, files);
  if (typeof history === 'number') return history;
  const { uses, definitions } = history;
  const { grants, others } = grantsOf(configuration, await pinsFor(call, files));
  const check = await checkerOf(uses, grants);
  const tried = tryPolicy(uses, {
    policy: withoutDisabled(
      policyOf(definitions, grants, configuration['guard'] !== false),
      definitions,
      configuration,
    ),
    definitions,
    check,
  });
  if (json) terminal.printJson({ counts: tried.counts, changed: tried.changed.map(rowOf), others });
  else tellTried(tried, others, history.isForeign, call);
  return tried.counts.refused === 0 ? EXIT.ok : EXIT.refused;
}

/** Hashes of the definitions that are pinned beside the ledger, by tool; undefined for files, which have no pins. */
async function pinsFor(
  { options: { ledger } }: CommandCall,
  files: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined> {
  if (files.length > 0 && ledger === undefined) return undefined;
  return new DefinitionPins((await placesOf(ledger)).pins).byTool();
}

/**
 * The grants of a configuration that are in force: as in the gateway, a permission for another definition than the pinned
 * one is void. `others`: their tools. A tool without a grant is refused here: the gateway would ask about its calls.
 */
function grantsOf(
  { grants }: JsonObject,
  pins: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): { readonly grants: readonly WrittenGrant[]; readonly others: readonly string[] } {
  const list = Array.isArray(grants) ? (grants as readonly JsonObject[]) : [];
  const isVoid = (grant: JsonObject): boolean =>
    grant['mode'] !== 'deny' &&
    typeof grant['definition'] === 'string' &&
    pins?.get(nameIn(grant))?.has(grant['definition']) === false;
  return {
    grants: list
      .filter((grant) => !isVoid(grant))
      .map(({ definition: _, ...grant }) => ({ ...grant, capability: nameIn(grant) }) as unknown as WrittenGrant),
    others: [...new Set(list.filter(isVoid).map(nameIn))].sort(),
  };
}

/** The policy without the tools that the configuration does not offer. */
function withoutDisabled(policy: Policy, definitions: readonly KnownDefinition[], { mcpServers }: JsonObject): Policy {
  const off = new Set<string>();
  for (const [server, settings] of Object.entries((mcpServers ?? {}) as Readonly<Record<string, ConfiguredServer>>)) {
    const prefix = `${prefixOf(server, settings)}.`;
    for (const { name, hash } of definitions) {
      const isOff = settings.tools?.[name.slice(prefix.length)]?.enabled === false || settings.disabled === true;
      if (name.startsWith(prefix) && isOff) off.add(hash);
    }
  }
  const enabled = [...policy.enabled].filter((hash) => !off.has(hash));
  return makePolicy(enabled, policy.grants, policy.guarded);
}

function rowOf({ use: { run_id, step, ticket, name }, as, code }: TriedUse) {
  return { run_id, step, ...(ticket !== undefined && { ticket }), name, as, ...(code !== undefined && { code }) };
}

function tellTried(
  { counts, changed }: TriedPolicy,
  others: readonly string[],
  isForeign: boolean,
  { terminal }: CommandCall,
): void {
  if (isForeign) terminal.print('Nobody vouches for these files: who wrote them chose which calls there are.');
  for (const tool of others)
    terminal.print(visibleLine(`${tool}: a grant is for another definition than the pinned one, so it is void.`));
  for (const [as, count] of Object.entries(counts))
    terminal.print(`${String(count).padStart(7)}  ${RULE_WORDS.tried[as as keyof typeof counts]}`);
  for (const one of changed.slice(0, SHOWN_MAX)) {
    const { run_id, step, name, as, code } = rowOf(one);
    const why = code === undefined ? '' : ` (${code})`;
    terminal.print(visibleLine(`run ${run_id.slice(0, 8)} step ${step}  ${name}: ${RULE_WORDS.tried[as]}${why}`));
  }
  if (changed.length > SHOWN_MAX) terminal.print(`and ${changed.length - SHOWN_MAX} more: --json lists all`);
  terminal.print('A path that a run would have taken behind a refusal is not known.');
}

const SHOWN_MAX = 50;

/** Reads what the operands and `--ledger` name; the exit code where it cannot be used. */
async function historyOf(
  { options: { ledger }, terminal }: CommandCall,
  files: readonly string[],
): Promise<History | number> {
  const uses: PastUse[] = [];
  let newest: { readonly at: number; readonly file: ExportFile } | undefined;
  let runs = 0;
  const take = (file: ExportFile): void => {
    for (const use of usesIn(runInExport(file))) uses.push(use);
    const at = file.records[0]?.record.at ?? 0;
    if (newest === undefined || at > newest.at) newest = { at, file };
    runs += 1;
  };
  for (const group of await groupsOf(files, terminal))
    for (const input of group.files) {
      if ('fault' in input) throw new UsageError(`${input.name}: ${input.fault}`);
      const text = await textOf(input.bytes);
      const verdict = verdictOf(verifyExport(text));
      if (verdict.state === 'altered') {
        terminal.complain(`${visibleLine(input.name)} was altered: sallyport verify says where`);
        return verdict.exit;
      }
      take(parseExport(text));
    }
  if (files.length === 0 || ledger !== undefined) {
    const code = await readLedger((await placesOf(ledger)).ledger, take, terminal);
    if (code !== undefined) return code;
  }
  const known = newest === undefined ? undefined : definitionsIn(runInExport(newest.file));
  if (known?.ok === false) return refused(known.refusal, terminal);
  return { uses, definitions: known?.value ?? [], runs, isForeign: files.length > 0 };
}

/** The ledger that `--ledger` names, or that of the gateway, with the files beside it. */
export async function placesOf(given: string | boolean | undefined): Promise<GatewayPlaces> {
  const named = typeof given === 'string' ? given : undefined;
  return placesFor(named, await isSqliteThere(), dataFolder(process.platform, process.env));
}

async function readLedger(
  path: string,
  take: (file: ExportFile) => void,
  terminal: CommandCall['terminal'],
): Promise<number | undefined> {
  const store = lookAt(path);
  if (!store.ok) return refused(store.refusal, terminal);
  try {
    const runs = await store.value.runs();
    if (!runs.ok) return refused(runs.refusal, terminal);
    for (const { run_id } of runs.value) {
      const text: Outcome<string> = await exportRun(store.value, run_id, true);
      if (!text.ok) return refused(text.refusal, terminal);
      take(parseExport(text.value));
    }
    return undefined;
  } finally {
    await store.value.close();
  }
}

/** The verdicts of the constraints on the arguments of the history, by the validators that decide in a run. */
async function checkerOf(
  uses: readonly PastUse[],
  grants: readonly WrittenGrant[],
): Promise<(where: JsonObject, args: JsonValue) => boolean | undefined> {
  const outside = grants.flatMap(({ capability, where }) =>
    where === undefined || comparisonOf(where) !== undefined ? [] : [{ capability, where, text: canonicalText(where) }],
  );
  const verdicts = new Map(outside.map(({ text }) => [text, new Map<string, boolean>()] as const));
  if (outside.length > 0) {
    const { openSandboxes } = await import('../platform.ts');
    const { sandbox, schemas } = await openSandboxes();
    try {
      const hashes = new Map<string, string>();
      for (const { where, text } of outside) {
        const hash = await schemas.register(where);
        if (!hash.ok) throw new UsageError(hash.refusal.message);
        hashes.set(text, hash.value);
      }
      for (const { name, args, resolved } of uses) {
        if (args === undefined) continue;
        const value = canonicalText(resolved ?? args);
        const own = new Set(outside.flatMap(({ capability, text }) => (capability === name ? [text] : [])));
        const open = [...own].filter((text) => verdicts.get(text)?.has(value) === false);
        if (open.length === 0) continue;
        const said = await schemas.check(
          open.map((text) => hashes.get(text) ?? ''),
          value,
        );
        for (const text of open) {
          const verdict = said.get(hashes.get(text) ?? '');
          if (verdict !== undefined && 'issues' in verdict) verdicts.get(text)?.set(value, verdict.issues.length === 0);
        }
      }
    } finally {
      await sandbox.close();
    }
  }
  return (where, args) => comparisonOf(where)?.(args) ?? verdicts.get(canonicalText(where))?.get(canonicalText(args));
}
