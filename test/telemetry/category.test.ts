import { expect, test } from 'vitest';
import { CODES, type Code, categoryOf, tell, toOtlp } from '../../core/inner.ts';

/** FemtoClaw 17, clause by clause: what it says an error of a category includes, and the codes that we have for it. */
const NAMED: readonly (readonly [clause: string, category: string, what: string, codes: readonly Code[]])[] = [
  ['9', 'PROTOCOL_ERROR', 'malformed protocol message', ['json_syntax', 'utf8', 'duplicate_member', 'form_none', 'form_both', 'unknown_member']],
  ['9', 'PROTOCOL_ERROR', 'invalid capability identifier', ['unknown_capability']],
  ['9', 'PROTOCOL_ERROR', 'invalid argument structure', ['arguments_schema', 'number_precision', 'schema_fuel']],
  ['10', 'AUTHORIZATION_ERROR', 'capability not found', ['capability_gone']],
  ['10', 'AUTHORIZATION_ERROR', 'capability disabled', ['capability_disabled']],
  ['10', 'AUTHORIZATION_ERROR', 'policy violation', ['no_grant', 'grant_denied', 'grant_expired', 'grant_used_up', 'grant_constraint', 'approval_denied']],
  ['11', 'CAPABILITY_ERROR', 'execution failure', ['memory_exceeded', 'stack_exceeded', 'power_failed', 'result_schema']],
  ['11', 'CAPABILITY_ERROR', 'execution exception', ['capability_threw']],
  ['11', 'CAPABILITY_ERROR', 'execution timeout', ['fuel_exhausted', 'deadline_exceeded', 'hang_killed', 'power_timeout']],
  ['12', 'MEMORY_ERROR', 'memory write failure', ['log_failed', 'head_moved']],
  ['12', 'MEMORY_ERROR', 'memory corruption detection', ['store_damaged', 'record_malformed']],
  ['12', 'MEMORY_ERROR', 'persistence failure', ['store_lost', 'mirror_lost', 'payload_missing']],
  ['13', 'CONFIGURATION_ERROR', 'invalid configuration structure', ['definition_invalid', 'option_invalid', 'capability_twice']],
  ['13', 'CONFIGURATION_ERROR', 'configuration validation failure', ['schema_refused', 'schema_too_large', 'source_refused', 'grant_widens']],
  ['14', 'SECURITY_ERROR', 'policy integrity violation', ['facts_altered', 'decision_differs']],
  ['14', 'SECURITY_ERROR', 'privilege violation', ['record_altered', 'payload_altered', 'chain_broken', 'log_lost']],
  ['16', 'RUNTIME_ERROR', 'unexpected runtime failure', ['interrupted', 'power_interrupted']],
  ['16', 'RUNTIME_ERROR', 'internal subsystem failure', ['validator_lost', 'limit_steps']],
  ['3', 'SYSTEM_ERROR', 'what the runtime stands on', ['store_absent', 'store_full', 'model_failed']],
]; // biome-ignore format: a table

test.each(NAMED)('FemtoClaw 17 %s, %s: %s', (_clause, category, _what, codes) => {
  for (const code of codes) expect([code, categoryOf(code)]).toEqual([code, category]);
});

test('every code is of one of the nine categories, and each of them but one has codes', () => {
  const found = new Set((Object.keys(CODES) as Code[]).map(categoryOf));
  expect([...found].sort()).toEqual([...new Set(NAMED.map(([, category]) => category))].sort());
  expect(found.size).toBe(8);
});

/** FemtoClaw 17 15: telemetry that fails refuses nothing, so it has no code but an event of its own. */
test('the ninth is told by an event: what is exported names the category of everything that went wrong', () => {
  const lost = tell('telemetry_lost', 'r', { lost: 1, cause: 'slow' });
  const denied = tell('protocol_rejected', 'r/s', { class: 'invalid_json', code: 'bom' });
  const fine = tell('memory_committed', 'r', {});
  const { logs } = toOtlp([lost, denied, fine].map((event, seq) => ({ seq, timestamp: 1, event })));
  const records = logs.resourceLogs[0].scopeLogs[0].logRecords;
  const told = records.map(({ attributes }) => attributes.find(({ key }) => key === 'sallyport.error.category')?.value);
  expect(told).toEqual([{ stringValue: 'OBSERVABILITY_ERROR' }, { stringValue: 'PROTOCOL_ERROR' }, undefined]);
});
