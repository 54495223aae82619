import { expect, test } from 'vitest';
import { CODES, type Code } from '../../../core/errors.ts';
import { categoryOf, severityOf } from '../../../core/telemetry/category.ts';
import { tell } from '../../../core/telemetry/event.ts';
import { toOtlp } from '../../../core/telemetry/otlp.ts';

/** FemtoClaw 17, clause by clause: the errors that a category includes, and the codes of core for them. */
const NAMED: readonly (readonly [clause: string, category: string, what: string, codes: readonly Code[]])[] = [
  ['9', 'PROTOCOL_ERROR', 'malformed protocol message', ['json_syntax', 'utf8', 'duplicate_member', 'form_none', 'form_both', 'unknown_member']],
  ['9', 'PROTOCOL_ERROR', 'invalid capability identifier', ['unknown_capability']],
  ['9', 'PROTOCOL_ERROR', 'invalid argument structure', ['arguments_schema', 'number_precision', 'schema_fuel']],
  ['10', 'AUTHORIZATION_ERROR', 'capability not found', ['capability_gone']],
  ['10', 'AUTHORIZATION_ERROR', 'capability disabled', ['capability_disabled']],
  ['10', 'AUTHORIZATION_ERROR', 'policy violation', ['no_grant', 'grant_denied', 'grant_expired', 'grant_used_up', 'grant_constraint', 'approval_denied']],
  ['11', 'CAPABILITY_ERROR', 'execution failure', ['memory_exceeded', 'stack_exceeded', 'power_failed', 'result_schema']],
  ['11', 'CAPABILITY_ERROR', 'execution exception', ['capability_threw']],
  ['11', 'CAPABILITY_ERROR', 'execution timeout', ['fuel_exhausted', 'deadline_exceeded', 'hang_killed', 'hung_before', 'power_timeout']],
  ['12', 'MEMORY_ERROR', 'memory write failure', ['log_failed', 'head_moved']],
  ['12', 'MEMORY_ERROR', 'memory corruption detection', ['store_damaged', 'record_malformed']],
  ['12', 'MEMORY_ERROR', 'persistence failure', ['store_lost', 'mirror_lost', 'payload_missing']],
  ['13', 'CONFIGURATION_ERROR', 'invalid configuration structure', ['definition_invalid', 'option_invalid', 'capability_twice']],
  ['13', 'CONFIGURATION_ERROR', 'configuration validation failure', ['schema_refused', 'schema_too_large', 'source_refused', 'grant_widens']],
  ['14', 'SECURITY_ERROR', 'policy integrity violation', ['facts_altered', 'decision_differs']],
  ['14', 'SECURITY_ERROR', 'privilege violation', ['record_altered', 'payload_altered', 'chain_broken', 'log_lost']],
  ['16', 'RUNTIME_ERROR', 'unexpected runtime failure', ['interrupted', 'power_interrupted']],
  ['16', 'RUNTIME_ERROR', 'internal subsystem failure', ['validator_lost', 'runtime_failed', 'limit_steps']],
  ['3', 'SYSTEM_ERROR', 'what the runtime stands on', ['store_absent', 'store_full', 'model_failed', 'worker_lost']],
]; // biome-ignore format: a table

test.each(NAMED)('the codes of FemtoClaw 17 %s have the category %s: %s', (_clause, category, _what, codes) => {
  for (const code of codes) expect([code, categoryOf(code)]).toEqual([code, category]);
});

test('every code has a category of the table, and eight categories have codes', () => {
  const found = new Set((Object.keys(CODES) as Code[]).map(categoryOf));
  expect([...found].sort()).toEqual([...new Set(NAMED.map(([, category]) => category))].sort());
  expect(found.size).toBe(8);
});

/** FemtoClaw 17 15: a failure of telemetry refuses no call, so it has an event and no code. */
test('the export names category and severity of each failure, OBSERVABILITY_ERROR for lost telemetry included', () => {
  const lost = tell('telemetry_lost', 'r', { lost: 1, cause: 'slow' });
  const denied = tell('protocol_rejected', 'r/s', { class: 'invalid_json', code: 'bom' });
  const fine = tell('memory_committed', 'r', {});
  const { logs } = toOtlp([lost, denied, fine].map((event, seq) => ({ seq, timestamp: 1, event })));
  const records = logs.resourceLogs[0].scopeLogs[0].logRecords;
  const named = (name: string) =>
    records.map(({ attributes }) => attributes.find(({ key }) => key === `sallyport.error.${name}`)?.value);
  const text = (stringValue: string) => ({ stringValue });
  expect(named('category')).toEqual([text('OBSERVABILITY_ERROR'), text('PROTOCOL_ERROR'), undefined]);
  expect(named('severity')).toEqual([text('ERROR'), text('ERROR'), undefined]);
});

test('every code has a severity of FemtoClaw 17 4, and each severity has codes', () => {
  const found = new Set((Object.keys(CODES) as Code[]).map(severityOf));
  expect([...found].sort()).toEqual(['CRITICAL', 'ERROR', 'INFO', 'WARNING']);
});

test('a disabled capability has the category and the severity of the example in FemtoClaw 17 26', () => {
  expect([categoryOf('capability_disabled'), severityOf('capability_disabled')]).toEqual([
    'AUTHORIZATION_ERROR',
    'ERROR',
  ]);
});

test('exactly corrupt memory and broken integrity are critical, by FemtoClaw 17 21', () => {
  const critical = (Object.keys(CODES) as Code[]).filter((code) => severityOf(code) === 'CRITICAL');
  const memory = ['store_damaged', 'record_malformed', 'log_failed'];
  const integrity = (Object.keys(CODES) as Code[]).filter((code) => categoryOf(code) === 'SECURITY_ERROR');
  expect(critical.sort()).toEqual([...memory, ...integrity].sort());
});

test.each([
  ['ok', {}, 9, 'INFO'],
  ['refused', { class: 'authorization', code: 'approval_denied' }, 9, 'INFO'],
  ['failed', { class: 'run', code: 'limit_wall' }, 13, 'WARN'],
  ['refused', { class: 'invalid_json', code: 'bom' }, 17, 'ERROR'],
  ['failed', { class: 'storage', code: 'log_failed' }, 21, 'FATAL'],
] as const)(
  'an event that is %s with %j is exported with severity %i, %s',
  (status, reason, severityNumber, severityText) => {
    const event = { ...tell('memory_committed', 'r', {}, status), ...reason } as ReturnType<typeof tell>;
    const { logs } = toOtlp([{ seq: 0, timestamp: 1, event }]);
    expect(logs.resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({ severityNumber, severityText });
  },
);
