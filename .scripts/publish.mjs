// `npm run release -- publish [--dry-run]`: publishes the tarball that `npm run release -- pack` made, with its provenance.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertPublishable } from './publish-ready.mjs';
import { ROOT } from './steps.mjs';

// npm does not run `prepublishOnly` for a tarball.
assertPublishable();
const folder = join(ROOT, 'test-results/package');
const tarballs = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.tgz')) : [];
if (tarballs.length !== 1) {
  console.error(
    `test-results/package holds ${tarballs.length} tarballs; one is expected. Run: npm run release -- pack`,
  );
  process.exit(1);
}
// Only a machine that can prove which workflow it runs gets a provenance statement signed.
const how = process.argv.includes('--dry-run') ? ['--dry-run'] : ['--provenance'];
const args = ['publish', join(folder, tarballs[0] ?? ''), '--access', 'public', ...how];
const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
process.exitCode = status ?? 1;
