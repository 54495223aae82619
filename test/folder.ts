import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder for the running test, which is removed with its content when the test ends, whether it passes or not. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
