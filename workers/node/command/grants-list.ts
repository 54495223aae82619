import { existsSync } from 'node:fs';
import type { Grant } from '../../../core/capability/policy.ts';
import { type JsonObject } from '../../../core/json/value.ts';
import { unsalted } from '../../../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import {
  type Allowed,
  type AllowedBy,
  type AllowedRow,
  allowedNow,
  DECISIONS_MAX,
  joinedPermissions,
  type PastPermissions,
  permissionsIn,
  policyIn,
} from '../../../core/privilege/allowed.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { ConfiguredGrant } from '../../bridges/mcp/gateway/config.ts';
import type { GatewayPlaces } from '../../bridges/mcp/gateway/data-folder.ts';
import { entryFinder, reasonOf } from '../../bridges/mcp/gateway/policy.ts';
import { WatchFile } from '../../bridges/mcp/gateway/watch.ts';
import { handedSources } from '../../kernel/handed.ts';
import { payloadOf } from '../../store/read-payload.ts';
import { recordsOf } from '../../store/read-run.ts';
import type { LedgerStore } from '../../store/store.ts';
import { type Command, type CommandCall, EXIT } from './command.ts';
import { configIn, day, LEDGER, placesOf } from './grants.ts';
import { lookAt, refused } from './look-at.ts';

export const grantsList: Command = {
  name: 'grants list',
  summary: 'Lists what is permitted and why, how often it was used, and how it is taken back.',
  operands: '',
  options: {
    ledger: LEDGER,
    config: { value: 'FILE', help: 'The configuration of sallyport mcp; absent: the one beside the ledger, if any.' },
  },
  examples: ['sallyport grants list', 'sallyport grants list --ledger ./ledger --json'],
  run: list,
};

async function list(call: CommandCall): Promise<number> {
  const { terminal, json, options } = call;
  const places = await placesOf(options['ledger']);
  const beside = existsSync(places.config) ? places.config : undefined;
  const config = typeof options['config'] === 'string' ? options['config'] : beside;
  const configured = await configIn({ ...call, options: { config } });
  const store = lookAt(places.ledger);
  if (!store.ok) return refused(store.refusal, terminal);
  try {
    const allowed = await allowedIn(store.value, configured, places);
    if (!allowed.ok) return refused(allowed.refusal, terminal);
    if (json) terminal.printJson(allowed.value);
    else tell(allowed.value, config, call);
    return EXIT.ok;
  } finally {
    await store.value.close();
  }
}

/**
 * What the newest run of a ledger, of each principal and the newest undo began with and was not revoked in it, the standing answers of runs that may go on, and the
 * uses of them all.
 */
async function allowedIn(store: LedgerStore, configured: JsonObject, places: GatewayPlaces): Promise<Outcome<Allowed>> {
  const runs = await store.runs();
  if (!runs.ok) return runs;
  const past: PastPermissions[] = [];
  const grants = new Map<string, Grant>();
  const askers = new Set<string>();
  let hasRules = false;
  let count = 0;
  for (const { run_id, sealed } of [...runs.value].sort((one, other) => other.at - one.at)) {
    if (count > DECISIONS_MAX) break;
    const records = await recordsOf(store, run_id);
    if (!records.ok) return records;
    const [first] = records.value;
    if (first?.kind !== 'configuration') continue;
    const told = permissionsIn(records.value);
    const { undoes, principal = '' } = first.body;
    const asker = undoes === undefined ? `of ${principal}` : 'undo';
    const begun = askers.has(asker) ? pass([]) : await policyOf(store, run_id, records.value);
    if (!begun.ok) return begun;
    // an undo has the grants for reverts alone; grants for some principals stand in their runs alone
    const isAdded = ({ mode, for: of }: Grant): boolean =>
      undoes === undefined ? !hasRules || of !== undefined : mode === 'allow';
    const rules = begun.value.filter(isAdded);
    askers.add(asker);
    hasRules ||= undoes === undefined;
    const standing = sealed ? [] : told.answers.map(({ grant }) => grant);
    const taken = new Set(
      records.value.flatMap((record) =>
        record.kind === 'revocation' ? record.body.revoked.map(({ grant }) => grant) : [],
      ),
    );
    for (const grant of [...rules, ...standing]) if (!taken.has(grant.id)) grants.set(grant.id, grant);
    past.push(told);
    count += told.permissions.length;
  }
  const sources = await handedSources(store);
  if (!sources.ok) return sources;
  const { isCut, ...history } = joinedPermissions(past);
  const watch = new WatchFile(places.pins).read();
  // a watch that was ended is over, though the newest run began with it
  const live = [...grants.values()].filter(
    (grant) => grant.watch === undefined || watch === undefined || watch.until === grant.expires,
  );
  const listed = Array.isArray(configured['grants']) ? configured['grants'] : [];
  const entryOf = entryFinder(listed as unknown as readonly ConfiguredGrant[]);
  const by = (grant: Grant): AllowedBy => reasonOf(entryOf(grant));
  return pass(
    allowedNow(live, { history, now: Date.now(), by, sources: sources.value, isCut: isCut || count > DECISIONS_MAX }),
  );
}

async function policyOf(
  store: LedgerStore,
  run_id: string,
  records: readonly LedgerRecord[],
): Promise<Outcome<readonly Grant[]>> {
  const [first] = records;
  if (first?.kind !== 'configuration') return pass([]);
  const bytes = await payloadOf(store, run_id, first.body.policy.sha256);
  if (!bytes.ok) return bytes;
  const policy = policyIn({ records, find: (ref) => bytes.value && unsalted(ref, bytes.value) });
  return policy.ok ? pass(policy.value?.grants ?? []) : policy;
}

function tell({ rows, sources, since, isCut }: Allowed, config: string | undefined, { terminal }: CommandCall): void {
  const say = (line: string): void => terminal.print(visibleLine(line));
  for (const row of rows) say(rowText(row, config));
  for (const { source, labels } of sources)
    say(
      `• ${source} was handed held values (${labels.join(', ')}). Take back: runtime.held.clear(${JSON.stringify(source)})`,
    );
  if (rows.length === 0) say('Nothing is permitted.');
  if (since !== undefined)
    say(
      `Uses are counted since ${day(since)}${isCut ? ', over the newest 100,000' : ''}; rules are those of the newest run.`,
    );
}

const WHY: { readonly [B in AllowedBy]: string } = {
  program: 'by the program or the command line',
  configuration: 'by the configuration',
  always: 'because a person said Always',
  answer: 'because a person answered for the rest of the run',
  watch: 'by a watch',
};

function rowText(
  { by, names, grants: [grant], id, question, uses, last, runCount, isUnused }: AllowedRow,
  config = '',
): string {
  const how = grant?.mode === 'ask' ? 'asks' : 'runs';
  const narrowed = grant?.where === undefined ? '' : ' under a rule about its arguments';
  const used =
    last === undefined
      ? 'never used'
      : `${uses === 1 ? 'used once' : `used ${uses} times in ${runCount === 1 ? 'one run' : `${runCount} runs`}`}, last on ${day(last)}`;
  const asked =
    question === undefined ? '' : ` The question: run ${question.run_id.slice(0, 8)} step ${question.step}.`;
  const back: { readonly [B in AllowedBy]: string } = {
    program: `runtime.grants.revoke("${id.slice(0, 12)}…"), or leave out --allow`,
    configuration: `remove it from ${config}`,
    always: `remove it from ${config}, or press Take back on the page`,
    answer: 'it ends with its run',
    watch: 'sallyport mcp watch --end',
  };
  return `• ${names.join(', ')} ${how}${narrowed} ${WHY[by]}: ${used}${isUnused ? ', UNUSED FOR 30 DAYS' : ''}.${asked} Take back: ${back[by]}`;
}
