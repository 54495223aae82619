import { expect } from 'vitest';
import type { Report } from '../../core/index.ts';
import { checkExport } from '../../workers/audit/verify-export.ts';
import { openSandboxes } from '../../workers/node/platform.ts';
import type { OpenSandboxes } from '../../workers/ports.ts';

let opened: ReturnType<typeof openSandboxes> | undefined;

/** Sandboxes that are not started anew for each of many runs; images are built from what the export says. */
const shared: OpenSandboxes = async () => {
  const { sandbox, schemas } = await (opened ??= openSandboxes());
  const lasting = { load: sandbox.load.bind(sandbox), call: sandbox.call.bind(sandbox), close: async () => undefined };
  return { sandbox: { ...sandbox, ...lasting }, schemas };
};

/** All six checks of an export, with its calls made again elsewhere. */
export function replayed(text: string): Promise<Report> {
  return checkExport(text, { replay: true }, shared);
}

/** The run comes out the same when it is made again, to its last record. */
export async function expectReplayed(text: string): Promise<void> {
  const { checks } = await replayed(text);
  const failed = checks.filter(({ status }) => status === 'fail').map(({ id, first }) => `${id}: ${first?.message}`);
  expect(failed).toEqual([]);
}
