// `npm run release -- pack`: the tarball of the built package, alone in test-results/package/.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps.mjs';

const folder = join(ROOT, 'test-results/package');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
process.exitCode = status ?? 1;
