import { expect } from 'vitest';
import type { Report } from '../../core/index.ts';
import { type CheckOptions, checkExport } from '../../workers/auditor/verify-export.ts';
import { forChecks } from './shared.ts';

/** The checks of an export as `verifyExport` makes them: its calls are not made again. */
export function verified(text: string): Promise<Report> {
  return checkExport(text, {}, forChecks);
}

/** All six checks of an export, with its calls made again in sandboxes of the test file. */
export function replayed(text: string, options: Omit<CheckOptions, 'replay'> = {}): Promise<Report> {
  return checkExport(text, { ...options, replay: true }, forChecks);
}

/** Expects that a replay gives the same run, to its last record. */
export async function expectReplayed(text: string): Promise<void> {
  const { checks } = await replayed(text);
  const failed = checks.filter(({ status }) => status === 'fail').map(({ id, first }) => `${id}: ${first?.message}`);
  expect(failed).toEqual([]);
}
