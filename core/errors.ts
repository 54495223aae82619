import type { Code, CodeTable, GuestError, SchemaIssue } from './errors/details.ts';
import { JSON_CODES } from './errors/json.ts';
import { LEDGER_CODES } from './errors/ledger.ts';
import { OPTION_CODES } from './errors/option.ts';
import { PAGE_CODES } from './errors/page.ts';
import { over, type Refuse, refuser } from './errors/refuse.ts';
import { SCHEMA_CODES } from './errors/schema.ts';

const said = (d: { readonly error: GuestError }) => `${d.error.name}: ${d.error.message}`;
const first = (d: { readonly issues: readonly SchemaIssue[] }) => d.issues[0]?.message ?? 'does not match the schema';

/**
 * The one table of codes. The documentation, the reply to the model and the playground's texts are made from it; every
 * code has a test vector that yields it. Parts of it are also used on their own: a verifier needs no texts for codes of
 * a run, and a page none for codes that only its kernel uses.
 */
export const CODES: CodeTable<Code> = {
  ...JSON_CODES,
  not_object: {
    class: 'malformed_structure',
    what: (d) => `Got ${d.got}, not an object`,
    todo: 'Send one JSON object.',
  },
  form_none: {
    class: 'malformed_structure',
    what: (d) =>
      `Valid JSON, but not a proposal: the top level has ${list(d.got)} instead of ${d.expected.join(' or ')}`,
    todo: 'Send one of these forms.',
  },
  form_both: {
    class: 'protocol_ambiguity',
    what: (d) => `Two answers at once: the top level has ${list(d.got)}`,
    todo: 'Send exactly one.',
  },
  missing_member: {
    class: 'malformed_structure',
    what: (d) => `Member ${JSON.stringify(d.name)} is missing`,
    todo: 'Add it; nothing is filled in.',
  },
  unknown_member: {
    class: 'malformed_structure',
    what: (d) => `Unknown member ${JSON.stringify(d.name)}`,
    todo: 'Remove it.',
  },
  wrong_type: {
    class: 'malformed_structure',
    what: (d) => `Got ${d.got}, needs ${d.expected}`,
    todo: 'Send the right type; nothing is converted.',
  },
  intent_empty: {
    class: 'malformed_structure',
    what: () => 'The intent says nothing',
    todo: 'Say what the work is for.',
  },
  symbol_syntax: {
    class: 'malformed_structure',
    what: (d) => `${JSON.stringify(d.symbol)} is not a symbol`,
    todo: 'Write @NAMESPACE/NAME with A-Z a-z 0-9 . _ - only.',
  },
  operation_unknown: {
    class: 'malformed_structure',
    what: (d) => `No operation ${JSON.stringify(d.type)}`,
    todo: 'Use READ, WRITE or EXECUTE.',
  },
  limit_operations: {
    class: 'malformed_structure',
    what: over('Too many operations', 'operations'),
    todo: 'Send them in several messages.',
  },
  target_undeclared: {
    class: 'malformed_structure',
    what: (d) => `${d.symbol} is not among the refs`,
    todo: 'List every target in refs.',
  },
  output_name: {
    class: 'malformed_structure',
    what: (d) => `${JSON.stringify(d.name)} cannot name an output`,
    todo: 'Use 1 to 64 of the characters A-Z a-z 0-9 . _ and -.',
  },
  output_twice: {
    class: 'malformed_structure',
    what: (d) => `The output ${d.name} is named twice`,
    todo: 'Name each output once.',
  },
  unknown_capability: {
    class: 'unknown_capability',
    what: (d) => `No capability ${JSON.stringify(d.name)}`,
    todo: 'Names are exact and case-sensitive; use a listed one.',
  },
  arguments_schema: {
    class: 'invalid_arguments',
    what: (d) => `Argument refused: ${first(d)}`,
    todo: 'Send arguments that match the schema.',
  },
  schema_fuel: {
    class: 'invalid_arguments',
    what: over('Checking the arguments took too long', 'operations'),
    todo: 'Send smaller arguments.',
  },
  schema_memory: {
    class: 'invalid_arguments',
    what: over('Checking the arguments took too much memory', 'bytes'),
    todo: 'Send smaller arguments.',
  },
  validator_lost: { class: 'execution', what: () => 'The argument validator was lost', todo: 'Propose again.' },
  definition_invalid: {
    class: 'definition',
    what: (d) => `Invalid definition: ${d.reason}`,
    todo: 'Correct the definition.',
  },
  ...OPTION_CODES,
  source_refused: {
    class: 'definition',
    what: (d) => `The source cannot be loaded: ${d.reason}`,
    todo: 'Correct the source.',
  },
  grant_widens: {
    class: 'definition',
    what: (d) => `A narrower grant cannot have a wider ${d.what}`,
    todo: 'Ask for no more than the grant permits.',
  },
  capability_twice: {
    class: 'definition',
    what: (d) => `${d.name} is registered already`,
    todo: 'Choose another name.',
  },
  symbol_unknown: { class: 'resolution', what: (d) => `Nothing is known as ${d.symbol}`, todo: 'Use a listed symbol.' },
  symbol_twice: {
    class: 'resolution',
    what: (d) => `${d.symbol} stands for something already`,
    todo: 'Choose another name.',
  },
  symbol_ambiguous: {
    class: 'resolution',
    what: (d) => `${d.ref} could be any of ${d.matches} sections`,
    todo: 'Name the section by its id.',
  },
  target_unknown: { class: 'resolution', what: (d) => `No content is known as ${d.ref}`, todo: 'Use a listed one.' },
  target_kind: {
    class: 'resolution',
    what: (d) => `${d.symbol} is ${d.got}, and here it takes ${d.expected}`,
    todo: 'Use another symbol or another operation.',
  },
  target_gone: {
    class: 'resolution',
    what: (d) => `What ${d.symbol} stood for is no longer there`,
    todo: 'Define the symbol again.',
  },
  section_unknown: {
    class: 'resolution',
    what: (d) => `No section has the id ${d.section_id}`,
    todo: 'Use a listed section.',
  },
  section_range: {
    class: 'resolution',
    what: (d) => `The section ends at line ${d.line_end}, and ${d.path} has ${d.lines}`,
    todo: 'Index the file again.',
  },
  slice_syntax: {
    class: 'resolution',
    what: (d) => `${JSON.stringify(d.slice)} is not a slice`,
    todo: 'Write lines[a:b], chars[a:b], head(n) or tail(n).',
  },
  slice_bounds: {
    class: 'resolution',
    what: (d) => `${d.slice} is out of bounds${d.size === undefined ? '' : `: there are ${d.size} ${d.unit}`}`,
    todo: 'Ask for a range that is there and not empty.',
  },
  slice_unbounded: {
    class: 'resolution',
    what: () => 'ALL is not a slice: every expansion is bounded',
    todo: 'Ask for the lines you need.',
  },
  content_utf8: {
    class: 'resolution',
    what: (d) => `${d.path ?? 'The text'} is not UTF-8: byte ${d.offset} is invalid`,
    todo: 'Save the file as UTF-8.',
  },
  content_missing: { class: 'resolution', what: (d) => `${d.path} is not there`, todo: 'Index the content again.' },
  content_changed: {
    class: 'resolution',
    what: (d) => `${d.path} is not what it was`,
    todo: 'Read it again before you go on.',
  },
  content_unwritten: {
    class: 'resolution',
    what: (d) => `Step ${d.asked} has written no content`,
    todo: 'Name a step whose records tell of a change.',
  },
  content_unended: {
    class: 'resolution',
    what: (d) => `The content has no line feed at its end, and ${d.path} goes on behind it`,
    todo: 'End the content with a line feed.',
  },
  content_neighbour: {
    class: 'resolution',
    what: (d) => `The content would change what stands ${d.neighbour} its section in ${d.path}`,
    todo: 'Close what the content opens, begin it with a heading of the same level, and end it with a blank line; or write the whole file.',
  },
  path_invalid: {
    class: 'resolution',
    what: (d) => `${JSON.stringify(d.path)} cannot name a file: ${d.reason}`,
    todo: 'Write a relative path with / between its parts.',
  },
  path_twice: { class: 'resolution', what: (d) => `${d.path} was given twice`, todo: 'Give each file once.' },
  capability_gone: {
    class: 'authorization',
    what: (d) => `${d.name} is no longer registered`,
    todo: 'Use a listed capability.',
  },
  capability_disabled: {
    class: 'authorization',
    what: (d) => `${d.name} is not enabled`,
    todo: 'Ask the person to enable it, or continue without it.',
  },
  no_grant: {
    class: 'authorization',
    what: (d) => `Valid, but not permitted: ${d.name} has no grant in this run`,
    todo: 'Continue without it.',
  },
  grant_denied: { class: 'authorization', what: (d) => `Denied by policy: ${d.name}`, todo: 'Continue without it.' },
  grant_expired: {
    class: 'authorization',
    what: (d) => `The grant for ${d.name} has expired`,
    todo: 'Continue without it.',
  },
  grant_used_up: {
    class: 'authorization',
    what: (d) => `Grant used up: ${d.name}, ${d.uses} of ${d.uses} calls`,
    todo: 'Continue without it.',
  },
  read_unasked: {
    class: 'authorization',
    what: (d) => `A person decides on each READ, and ${d.name} cannot ask`,
    todo: 'Propose a READ, or ask for a grant of content.read that does not ask.',
  },
  grant_constraint: {
    class: 'authorization',
    what: (d) => `The grant for ${d.name} does not cover these arguments`,
    todo: 'Use arguments within the grant.',
  },
  permission_revoked: {
    class: 'authorization',
    what: (d) => `A person took the permission for ${d.name} back before it had ended`,
    todo: 'Check what it has done, and continue without it.',
  },
  approval_denied: {
    class: 'authorization',
    what: (d) => `A person said no${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  authorizer_denied: {
    class: 'authorization',
    what: (d) => `The rules of this program’s authorizer do not permit it${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  consent_denied: {
    class: 'authorization',
    what: () => 'Private content may not go to this model',
    todo: 'Use a model on this device, or another task.',
  },
  budget_symbols: { class: 'budget', what: over('Over budget', 'symbols'), todo: 'Refer to fewer symbols.' },
  budget_sections: { class: 'budget', what: over('Over budget', 'sections'), todo: 'Touch fewer sections.' },
  budget_bytes: { class: 'budget', what: over('Over budget', 'bytes'), todo: 'Ask for a smaller slice.' },
  budget_expands: { class: 'budget', what: over('Over budget', 'expansions'), todo: 'Expand less in one step.' },
  budget_run: {
    class: 'budget',
    what: over('The run has read enough', 'bytes'),
    todo: 'Finish with what you have.',
  },
  budget_raised: {
    class: 'budget',
    what: (d) => `The run allows ${d.limit} as ${d.name}, not ${d.asked}`,
    todo: 'A message may lower the budgets of its run, never raise them.',
  },
  capability_threw: {
    class: 'execution',
    what: (d) => `The capability failed: ${said(d)}`,
    todo: 'Change the arguments or use another capability.',
  },
  fuel_exhausted: {
    class: 'execution',
    what: over('Stopped: out of fuel', 'operations'),
    todo: 'Ask for less work in one call.',
  },
  memory_exceeded: {
    class: 'execution',
    what: (d) => `Stopped at ${d.limit} bytes of memory`,
    todo: 'Ask for less work in one call.',
  },
  stack_exceeded: {
    class: 'execution',
    what: (d) => `Stopped: recursion beyond ${d.limit} bytes of stack`,
    todo: 'Ask for less nested work.',
  },
  deadline_exceeded: {
    class: 'execution',
    what: (d) => `Stopped after ${d.limit} ms`,
    todo: 'Ask for less work in one call.',
  },
  hang_killed: {
    class: 'execution',
    what: (d) => `Hung, and was killed after ${d.limit} ms`,
    todo: 'Continue without it: it is disabled for this run.',
  },
  jobs_exceeded: {
    class: 'execution',
    what: over('Stopped: too many promise jobs', 'jobs'),
    todo: 'Ask for less work in one call.',
  },
  power_failed: { class: 'execution', what: (d) => `A power failed: ${said(d)}`, todo: 'Continue without it.' },
  power_unknown: {
    class: 'execution',
    what: (d) => `There is no power ${d.name} here`,
    todo: 'Open the runtime with it.',
  },
  power_arguments: {
    class: 'execution',
    what: (d) => `The power ${d.name} does not take these arguments: ${d.reason}`,
    todo: 'Use another capability.',
  },
  power_result: {
    class: 'execution',
    what: (d) => `What the power ${d.name} answered is refused: ${d.reason}`,
    todo: 'Continue without it.',
  },
  power_timeout: {
    class: 'execution',
    what: (d) => `The power ${d.name} did not answer within ${d.limit} ms; whether it took effect is unknown`,
    todo: 'Check before you repeat it.',
  },
  power_interrupted: {
    class: 'execution',
    what: (d) => `The power ${d.name} was issued and its answer was lost; whether it took effect is unknown`,
    todo: 'Check before you repeat it.',
  },
  kept_key: { class: 'storage', what: (d) => `Not a key: ${d.reason}`, todo: 'Use a short text.' },
  kept_value: { class: 'storage', what: over('Too long to keep', 'bytes'), todo: 'Keep less under one key.' },
  kept_keys: { class: 'storage', what: over('Too many keys', 'keys'), todo: 'Put null under those no longer needed.' },
  power_calls_exceeded: {
    class: 'execution',
    what: over('Stopped: too many power calls', 'calls'),
    todo: 'Ask for less work in one call.',
  },
  bytes_in_exceeded: {
    class: 'execution',
    what: over('Arguments too long for this capability', 'bytes'),
    todo: 'Send less.',
  },
  console_exceeded: {
    class: 'execution',
    what: over('Stopped: too much console output', 'bytes'),
    todo: 'Ask for less work in one call.',
  },
  call_aborted: {
    class: 'execution',
    what: () => 'The call was aborted',
    todo: 'Start a new run; this one has ended.',
  },
  heap_corrupt: {
    class: 'execution',
    what: () => 'The sandbox lost its heap and was replaced',
    todo: 'Propose again.',
  },
  interrupted: {
    class: 'execution',
    what: () => 'The step was cut off; whether it took effect is unknown',
    todo: 'Check before you repeat it.',
  },
  result_not_json: {
    class: 'output',
    what: (d) => `The capability returned something that is not JSON (${d.rule})`,
    todo: 'Use another capability.',
  },
  result_schema: { class: 'output', what: (d) => `Result refused: ${first(d)}`, todo: 'Use another capability.' },
  bytes_out_exceeded: { class: 'output', what: over('Result too long', 'bytes'), todo: 'Ask for a smaller result.' },
  reply_omitted: {
    class: 'output',
    what: over('The answer has no room in the context', 'bytes'),
    todo: 'Ask for a smaller result.',
  },
  output_missing: {
    class: 'output',
    what: (d) => `The required output ${d.name} was not made`,
    todo: 'Name an operation that yields it.',
  },
  model_exhausted: { class: 'run', what: () => 'The script has no more proposals', todo: 'Start a new run.' },
  model_failed: {
    class: 'run',
    what: (d) => `The model did not answer: ${said(d)}`,
    todo: 'Check the model, then continue the run.',
  },
  limit_steps: { class: 'run', what: over('Too many steps', 'steps'), todo: 'Start a new run.' },
  limit_refusals: {
    class: 'run',
    what: over('Too many refusals in a row', 'refusals'),
    todo: 'Start a new run with other instructions.',
  },
  limit_wall: { class: 'run', what: over('Ran too long', 'ms'), todo: 'Start a new run.' },
  model_elsewhere: {
    class: 'authorization',
    what: (d) => `The run was not begun with a model at ${d.origin}`,
    todo: 'Take it up with its own model, or with one on this device.',
  },
  ...PAGE_CODES,
  run_foreign: {
    class: 'authorization',
    what: (d) => `The run ${d.run_id} came from a backup, with grants and code of whoever made it`,
    todo: 'Read or replay it; start a new run to go on with its task.',
  },
  facts_altered: {
    class: 'storage',
    what: (d) => `The recorded ${d.what} is not what its hash says`,
    todo: 'Verify the ledger.',
  },
  payload_missing: {
    class: 'storage',
    what: (d) => `The bytes with hash ${d.sha256} are not here`,
    todo: 'They may have been erased.',
  },
  log_failed: {
    class: 'storage',
    what: (d) => `The ledger could not be written: ${d.reason}`,
    todo: 'Free storage; nothing runs unrecorded.',
  },
  head_moved: {
    class: 'storage',
    what: (d) => `Another writer continued this run: expected ${d.expected} records, found ${d.found}`,
    todo: 'Follow it read-only, or take the run over from its new head.',
  },
  run_absent: {
    class: 'storage',
    what: (d) => `The run ${d.run_id} is not on this device`,
    todo: 'Look at the list of runs.',
  },
  backup_refused: {
    class: 'storage',
    what: (d) => `Not restored: ${d.what}`,
    todo: 'Use a whole backup of this ledger, or empty it first; nothing was changed.',
  },
  run_sealed: { class: 'storage', what: () => 'The run is sealed', todo: 'Start a new run.' },
  store_absent: {
    class: 'storage',
    what: () => 'This browser gives the page no IndexedDB',
    todo: 'Leave private mode, or keep the ledger in memory.',
  },
  store_blocked: {
    class: 'storage',
    what: () => 'Another tab holds an older version of the ledger open',
    todo: 'Close the other tabs.',
  },
  store_newer: {
    class: 'storage',
    what: () => 'The ledger was written by a newer version',
    todo: 'Update, or export it there.',
  },
  log_lost: {
    class: 'storage',
    what: (d) => `The browser lost the ledger: it had ${d.size} records, ${d.found} are here`,
    todo: 'A new epoch began, and its first record says so; older runs are only where they were exported.',
  },
  mirror_lost: {
    class: 'storage',
    what: (d) => `The second copy of the ledger cannot be written: ${d.reason}`,
    todo: 'Reload the page; nothing runs unrecorded.',
  },
  store_busy: {
    class: 'storage',
    what: () => 'Another tab has this ledger open',
    todo: 'Close the other tabs, and try again.',
  },
  store_locked: {
    class: 'storage',
    what: (d) => ('pid' in d ? `Process ${d.pid} has this ledger open` : `The lock of this ledger is ${d.lock}`),
    todo: 'End that process, remove a lock that is nobody’s, or open another directory.',
  },
  store_damaged: {
    class: 'storage',
    what: (d) => `The ledger's file ${d.what}`,
    todo: 'Put the whole file back, or restore a backup elsewhere; nothing was changed.',
  },
  store_full: {
    class: 'storage',
    what: () => 'No room left for the ledger',
    todo: 'Free storage; nothing runs unrecorded.',
  },
  store_lost: {
    class: 'storage',
    what: (d) => `The connection to the ledger was lost: ${d.reason}`,
    todo: 'Reload the page; what was acknowledged is kept.',
  },
  ...LEDGER_CODES,
  decision_differs: {
    class: 'storage',
    what: (d) => `Deciding it again gives another decision: ${d.what}`,
    todo: 'The record does not follow from what is recorded before it.',
  },
  replay_differs: {
    class: 'storage',
    what: (d) => `Running it again gives another outcome: ${d.what}`,
    todo: 'Either the record was altered, or it was made by another engine.',
  },
  not_replayed: {
    class: 'storage',
    what: (d) => `Not verified: ${d.what}`,
    todo: 'Rely on it only as far as you trust where the file comes from; it holds no evidence for it.',
  },
  ...SCHEMA_CODES,
};

/** Makes a refusal from the table. Passing another code's details does not compile. */
export const refuse: Refuse<Code> = /* @__PURE__ */ refuser(CODES);

function list(names: readonly string[]): string {
  const [last, ...others] = names.map((name) => JSON.stringify(name)).toReversed();
  if (last === undefined) return 'no members';
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}
