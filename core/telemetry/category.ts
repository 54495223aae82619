import type { Code, RefusalClass } from '../errors/details.ts';
import { CODES } from '../errors.ts';
import { demand, type Kind } from '../option.ts';

/** The error categories of FemtoClaw 17 3. Each code is in exactly one. */
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

/** By the gate: what a proposal says, what it may do, what became of it, what was kept of it. */
const OF_CLASS: { readonly [C in RefusalClass]: ErrorCategory } = {
  invalid_json: 'PROTOCOL_ERROR',
  malformed_structure: 'PROTOCOL_ERROR',
  protocol_ambiguity: 'PROTOCOL_ERROR',
  unknown_capability: 'PROTOCOL_ERROR',
  invalid_arguments: 'PROTOCOL_ERROR',
  // names what is not there, like an unknown capability
  resolution: 'PROTOCOL_ERROR',
  authorization: 'AUTHORIZATION_ERROR',
  // what may be spent is a permission, too
  budget: 'AUTHORIZATION_ERROR',
  execution: 'CAPABILITY_ERROR',
  output: 'CAPABILITY_ERROR',
  storage: 'MEMORY_ERROR',
  run: 'RUNTIME_ERROR',
  definition: 'CONFIGURATION_ERROR',
};

/** Codes that are not what the rest of their class is, because of whose fault they are. */
const OF_CODE: { readonly [C in Code]?: ErrorCategory } = {
  // ours
  validator_lost: 'RUNTIME_ERROR',
  interrupted: 'RUNTIME_ERROR',
  power_interrupted: 'RUNTIME_ERROR',
  // the surroundings'
  model_exhausted: 'SYSTEM_ERROR',
  model_failed: 'SYSTEM_ERROR',
  store_absent: 'SYSTEM_ERROR',
  store_blocked: 'SYSTEM_ERROR',
  store_full: 'SYSTEM_ERROR',
  // somebody's who has altered what was recorded
  facts_altered: 'SECURITY_ERROR',
  log_lost: 'SECURITY_ERROR',
  body_altered: 'SECURITY_ERROR',
  record_altered: 'SECURITY_ERROR',
  payload_altered: 'SECURITY_ERROR',
  payload_unnamed: 'SECURITY_ERROR',
  chain_broken: 'SECURITY_ERROR',
  end_disagrees: 'SECURITY_ERROR',
  anchor_disagrees: 'SECURITY_ERROR',
  export_cut: 'SECURITY_ERROR',
  decision_differs: 'SECURITY_ERROR',
  replay_differs: 'SECURITY_ERROR',
};

/** FemtoClaw 17's error category of a code. */
export function categoryOf(code: Code): ErrorCategory {
  demand('code', code, CODE);
  return OF_CODE[code] ?? OF_CLASS[CODES[code].class];
}

/**
 * What an error means for what goes on, after FemtoClaw 17 4. `INFO`: somebody wanted it so. `WARNING`: a bound that was
 * set, or somebody else who was first. `ERROR`: this was refused or has failed, and the next may succeed. `CRITICAL` (17
 * 21): what is kept cannot be relied on, and nothing goes on from it.
 */
export type ErrorSeverity = 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

const SEVERITIES: { readonly [C in Code]?: ErrorSeverity } = {
  approval_denied: 'INFO',
  authorizer_denied: 'INFO',
  consent_denied: 'INFO',
  permission_revoked: 'INFO',
  call_aborted: 'INFO',
  model_exhausted: 'INFO',
  not_replayed: 'INFO',
  limit_steps: 'WARNING',
  limit_refusals: 'WARNING',
  limit_wall: 'WARNING',
  reply_omitted: 'WARNING',
  run_open: 'WARNING',
  head_moved: 'WARNING',
  store_busy: 'WARNING',
  store_blocked: 'WARNING',
  store_locked: 'WARNING',
  log_failed: 'CRITICAL',
  store_damaged: 'CRITICAL',
  record_malformed: 'CRITICAL',
};

const CODE: Kind = ['a code of the table `CODES`', (value) => Object.hasOwn(CODES, value as string)];

/** How grave it is, by the same specification. */
export function severityOf(code: Code): ErrorSeverity {
  demand('code', code, CODE);
  return SEVERITIES[code] ?? (categoryOf(code) === 'SECURITY_ERROR' ? 'CRITICAL' : 'ERROR');
}
