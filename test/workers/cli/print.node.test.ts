import { expect, test } from 'vitest';
import { type CheckId, type Report, verifyExport } from '../../../core/index.ts';
import { EXIT } from '../../../workers/cli/command.ts';
import { exitOf } from '../../../workers/cli/print.ts';

/** A report of a later version, in which one more check has failed. */
function withUnknown(status: 'pass' | 'fail'): Report {
  const { checks, ...report } = verifyExport('');
  const passed = checks.map(({ id }) => ({ id, status: 'pass', count: 1 }) as const);
  return { ...report, ok: status === 'pass', checks: [...passed, { id: 'clock' as CheckId, status, count: 1 }] };
}

test('the exit code of a report is an error if a check fails that the command does not know', () => {
  expect(exitOf(withUnknown('pass'))).toBe(EXIT.ok);
  expect(exitOf(withUnknown('fail'))).toBe(EXIT.tampered);
  expect(exitOf(verifyExport(''))).toBe(EXIT.malformed);
});
