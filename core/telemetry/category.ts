import type { RefusalClass } from '../errors/details.ts';
import { CODES, type Code } from '../errors.ts';
import { demand, type OptionType } from '../option.ts';

/** The error categories of FemtoClaw 17 3. Each code is in exactly one category. */
export type ErrorCategory =
  | 'CONFIGURATION_ERROR'
  | 'PROTOCOL_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'CAPABILITY_ERROR'
  | 'MEMORY_ERROR'
  | 'SECURITY_ERROR'
  | 'OBSERVABILITY_ERROR'
  | 'RUNTIME_ERROR'
  | 'SYSTEM_ERROR';

/** Category by the refusal's class, and so by the gate: form, permission, execution or storage of a proposal. */
const OF_CLASS: { readonly [C in RefusalClass]: ErrorCategory } = {
  invalid_json: 'PROTOCOL_ERROR',
  malformed_structure: 'PROTOCOL_ERROR',
  protocol_ambiguity: 'PROTOCOL_ERROR',
  unknown_capability: 'PROTOCOL_ERROR',
  invalid_arguments: 'PROTOCOL_ERROR',
  // names a missing target, like an unknown capability
  resolution: 'PROTOCOL_ERROR',
  authorization: 'AUTHORIZATION_ERROR',
  // a budget is a permission, too
  budget: 'AUTHORIZATION_ERROR',
  execution: 'CAPABILITY_ERROR',
  output: 'CAPABILITY_ERROR',
  storage: 'MEMORY_ERROR',
  run: 'RUNTIME_ERROR',
  definition: 'CONFIGURATION_ERROR',
};

/** Codes whose category differs from their class, because the fault lies with another party. */
const OF_CODE: { readonly [C in Code]?: ErrorCategory } = {
  // faults of the runtime and of its program
  approval_failed: 'RUNTIME_ERROR',
  validator_lost: 'RUNTIME_ERROR',
  interrupted: 'RUNTIME_ERROR',
  power_interrupted: 'RUNTIME_ERROR',
  // faults of the surroundings
  model_exhausted: 'SYSTEM_ERROR',
  model_failed: 'SYSTEM_ERROR',
  worker_lost: 'SYSTEM_ERROR',
  store_absent: 'SYSTEM_ERROR',
  store_blocked: 'SYSTEM_ERROR',
  store_denied: 'SYSTEM_ERROR',
  store_full: 'SYSTEM_ERROR',
  store_readonly: 'SYSTEM_ERROR',
  store_unopened: 'CONFIGURATION_ERROR',
  // an approval that no person gave
  answer_unknown: 'SECURITY_ERROR',
  // faults of a party that altered records
  facts_altered: 'SECURITY_ERROR',
  log_lost: 'SECURITY_ERROR',
  body_altered: 'SECURITY_ERROR',
  record_altered: 'SECURITY_ERROR',
  payload_altered: 'SECURITY_ERROR',
  payload_unnamed: 'SECURITY_ERROR',
  chain_broken: 'SECURITY_ERROR',
  end_disagrees: 'SECURITY_ERROR',
  anchor_disagrees: 'SECURITY_ERROR',
  store_disagrees: 'SECURITY_ERROR',
  export_cut: 'SECURITY_ERROR',
  checkpoint_unsigned: 'SECURITY_ERROR',
  log_forked: 'SECURITY_ERROR',
  log_rolled_back: 'SECURITY_ERROR',
  decision_differs: 'SECURITY_ERROR',
  replay_differs: 'SECURITY_ERROR',
};

/** FemtoClaw 17's error category of a code. */
export function categoryOf(code: Code): ErrorCategory {
  demand('code', code, CODE);
  return OF_CODE[code] ?? OF_CLASS[CODES[code].class];
}

/**
 * Severity of an error, after FemtoClaw 17 4. `INFO`: a person or program wanted it. `WARNING`: a configured bound, or
 * a lost race. `ERROR`: this step was refused or has failed, and the next may succeed. `CRITICAL` (17 21): the stored
 * data cannot be relied on, and the run cannot continue from it.
 */
export type ErrorSeverity = 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

const SEVERITIES: { readonly [C in Code]?: ErrorSeverity } = {
  approval_denied: 'INFO',
  replaced: 'INFO',
  approval_unavailable: 'INFO',
  approval_pending: 'INFO',
  approval_deferred: 'INFO',
  authorizer_denied: 'INFO',
  consent_denied: 'INFO',
  permission_revoked: 'INFO',
  run_suspended: 'INFO',
  call_aborted: 'INFO',
  model_exhausted: 'INFO',
  not_replayed: 'INFO',
  limit_steps: 'WARNING',
  limit_tokens: 'WARNING',
  limit_refusals: 'WARNING',
  limit_wall: 'WARNING',
  session_limited: 'WARNING',
  calls_busy: 'WARNING',
  reply_omitted: 'WARNING',
  run_open: 'WARNING',
  run_kept: 'WARNING',
  head_moved: 'WARNING',
  store_busy: 'WARNING',
  store_blocked: 'WARNING',
  store_locked: 'WARNING',
  port_taken: 'WARNING',
  log_failed: 'CRITICAL',
  store_damaged: 'CRITICAL',
  record_malformed: 'CRITICAL',
};

const CODE: OptionType = ['a code of the table `CODES`', (value) => Object.hasOwn(CODES, value as string)];

/** The severity of a code, by the same specification. */
export function severityOf(code: Code): ErrorSeverity {
  demand('code', code, CODE);
  return SEVERITIES[code] ?? (categoryOf(code) === 'SECURITY_ERROR' ? 'CRITICAL' : 'ERROR');
}
