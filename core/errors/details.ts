import type { JsonValue } from '../json/value.ts';

/** FemtoClaw Protocol 12 names the first five classes; the remaining classes are for faults after validation. */
export type RefusalClass =
  | 'invalid_json'
  | 'malformed_structure'
  | 'protocol_ambiguity'
  | 'unknown_capability'
  | 'invalid_arguments'
  | 'authorization'
  | 'budget'
  | 'resolution'
  | 'execution'
  | 'output'
  | 'storage'
  | 'run'
  | 'definition';

export type Details = { readonly [name: string]: JsonValue };

export type Exceeded = { readonly limit: number; readonly used: number };

/** The first exceeded budget, and in `breaches` every exceeded budget with the first included. */
export type Breach = Exceeded & { readonly breaches: readonly (Exceeded & { readonly code: string })[] };

type None = { readonly [name: string]: never };

/** The guest's own error: text of a stranger, cut to size. */
export type GuestError = {
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
};

/** The details each code promises. A code without a row in `CODES` does not compile, nor a row without a code. */
export interface DetailsOf {
  // decode: class by FemtoClaw 12, precedence as in `json/decode.ts`
  limit_size: Exceeded;
  utf8: { readonly offset: number };
  bom: None;
  limit_depth: Exceeded;
  limit_nodes: Exceeded;
  json_syntax: { readonly offset: number; readonly line: number; readonly column: number; readonly found: string };
  duplicate_member: { readonly name: string };
  lone_surrogate: None;
  number_precision: { readonly literal: string };
  not_json: { readonly got: string };
  // structure and form
  not_object: { readonly got: string };
  form_none: { readonly got: readonly string[]; readonly expected: readonly string[] };
  form_both: { readonly got: readonly string[] };
  missing_member: { readonly name: string };
  unknown_member: { readonly name: string };
  wrong_type: { readonly expected: string; readonly got: string };
  intent_empty: None;
  symbol_syntax: { readonly symbol: string };
  operation_unknown: { readonly type: string };
  target_undeclared: { readonly symbol: string };
  limit_operations: Exceeded;
  output_name: { readonly name: string };
  output_twice: { readonly name: string };
  // capability and arguments
  unknown_capability: { readonly name: string };
  arguments_schema: { readonly issues: readonly SchemaIssue[] };
  schema_fuel: Exceeded;
  schema_memory: Exceeded;
  validator_lost: None;
  // definition: registered by a program, not proposed by a model
  definition_invalid: { readonly reason: string };
  source_refused: { readonly cause: string; readonly reason: string; readonly line?: number; readonly column?: number };
  capability_twice: { readonly name: string };
  grant_widens: { readonly what: string };
  /** `wants`: the required type; absent when no option has that name. */
  option_invalid: { readonly name: string; readonly wants?: string };
  // resolution: content, and references to it
  symbol_unknown: { readonly symbol: string };
  symbol_twice: { readonly symbol: string };
  symbol_ambiguous: { readonly ref: string; readonly matches: number };
  target_unknown: { readonly ref: string };
  target_kind: { readonly symbol: string; readonly got: string; readonly expected: string };
  target_gone: { readonly symbol: string };
  section_unknown: { readonly section_id: string };
  section_range: { readonly path: string; readonly line_end: number; readonly lines: number };
  slice_syntax: { readonly slice: string };
  slice_bounds: { readonly slice: string; readonly unit?: 'lines' | 'characters'; readonly size?: number };
  slice_unbounded: None;
  content_utf8: { readonly offset: number; readonly path?: string };
  content_missing: { readonly path: string };
  /** The hash that is there now is not told: a READ tells it, with its labels. */
  content_changed: { readonly path: string; readonly expected: string };
  content_neighbour: { readonly path: string; readonly neighbour: 'before' | 'behind' };
  content_unended: { readonly path: string };
  content_unwritten: { readonly asked: number };
  path_invalid: { readonly path: string; readonly reason: string };
  path_twice: { readonly path: string };
  // authorization
  capability_gone: { readonly name: string };
  capability_disabled: { readonly name: string };
  no_grant: { readonly name: string };
  grant_denied: { readonly name: string };
  grant_expired: { readonly name: string; readonly expires: number };
  grant_used_up: { readonly name: string; readonly uses: number };
  grant_constraint: { readonly name: string };
  read_unasked: { readonly name: string };
  permission_revoked: { readonly name: string };
  approval_denied: { readonly reason: string };
  authorizer_denied: { readonly reason: string };
  consent_denied: None;
  // budget
  budget_symbols: Breach;
  budget_sections: Breach;
  budget_bytes: Breach;
  budget_expands: Breach;
  budget_run: Exceeded;
  budget_raised: { readonly name: string; readonly limit: number; readonly asked: number };
  // execution
  capability_threw: { readonly error: GuestError };
  fuel_exhausted: Exceeded;
  memory_exceeded: { readonly limit: number };
  stack_exceeded: { readonly limit: number };
  deadline_exceeded: { readonly limit: number };
  hang_killed: { readonly limit: number };
  jobs_exceeded: Exceeded;
  power_failed: { readonly error: GuestError };
  power_unknown: { readonly name: string };
  power_arguments: { readonly name: string; readonly reason: string };
  power_result: { readonly name: string; readonly reason: string };
  power_timeout: { readonly name: string; readonly limit: number };
  power_interrupted: { readonly name: string };
  kept_key: { readonly reason: string };
  kept_value: Exceeded;
  kept_keys: Exceeded;
  power_calls_exceeded: Exceeded;
  bytes_in_exceeded: Exceeded;
  console_exceeded: Exceeded;
  call_aborted: None;
  heap_corrupt: None;
  interrupted: None;
  // output
  /** `rule`: the kind of value that JSON cannot say, or the refusal's code; `error`: the guest's own words. */
  result_not_json: { readonly rule: string; readonly error?: GuestError };
  result_schema: { readonly issues: readonly SchemaIssue[] };
  bytes_out_exceeded: Exceeded;
  output_missing: { readonly name: string };
  reply_omitted: Exceeded;
  // run and storage
  model_exhausted: None;
  model_failed: { readonly error: GuestError };
  limit_steps: Exceeded;
  limit_refusals: Exceeded;
  limit_wall: Exceeded;
  run_open: { readonly run_id: string };
  run_foreign: { readonly run_id: string };
  model_elsewhere: { readonly origin: string };
  facts_altered: { readonly what: string };
  payload_missing: { readonly sha256: string };
  log_failed: { readonly reason: string };
  // ledger and store
  receipt_incomplete: { readonly what: string };
  head_moved: { readonly expected: number; readonly found: number };
  run_sealed: None;
  run_absent: { readonly run_id: string };
  backup_refused: { readonly what: string };
  store_absent: None;
  store_blocked: None;
  store_newer: None;
  log_lost: { readonly size: number; readonly found: number };
  mirror_lost: { readonly reason: string };
  store_busy: None;
  store_locked: { readonly pid: number } | { readonly lock: string };
  store_damaged: { readonly at: number; readonly what: string };
  store_full: None;
  store_lost: { readonly reason: string };
  // findings of a verifier in an export
  record_malformed: { readonly what: string };
  export_malformed: { readonly what: string };
  body_altered: None;
  record_altered: None;
  payload_altered: { readonly sha256: string };
  payload_unnamed: { readonly sha256: string };
  payload_beginning: Exceeded;
  chain_broken: { readonly what: string };
  end_disagrees: { readonly what: string };
  anchor_disagrees: { readonly what: string };
  anchor_malformed: { readonly what: string };
  export_cut: { readonly records: number };
  export_absent: None;
  checkpoint_malformed: { readonly what: string };
  behaviour_other: { readonly recorded: number; readonly current: number };
  decision_differs: { readonly what: string };
  replay_differs: { readonly what: string };
  not_replayed: { readonly what: string };
  // definition: a capability that cannot be registered
  schema_refused: { readonly rule: string; readonly reason: string };
  schema_too_large: Exceeded & { readonly what: string };
}

/** An issue of a JSON Schema validator: its place, its keyword and the expectation. */
export type SchemaIssue = { readonly pointer: string; readonly keyword: string; readonly message: string };

export type Code = keyof DetailsOf;

export interface CodeRow<D> {
  readonly class: RefusalClass;
  /** The event as a single clause without a full stop. */
  readonly what: (details: D) => string;
  /** Advice as a single sentence, the same for every reader. */
  readonly todo: string;
}

export type CodeTable<T extends Code> = { readonly [C in T]: CodeRow<DetailsOf[C]> };
