import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUILT_IN } from '../../../sandbox/capabilities/index.ts';

const SCRIPT = `
import { runnerImport } from 'vite';
const { module } = await runnerImport('./sandbox/capabilities/index.ts', { configFile: false, logLevel: 'error' });
process.stdout.write(JSON.stringify(module.BUILT_IN));
`;

test('a plain Node script can load the built-in schemas', () => {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { cwd, encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual(BUILT_IN);
});
