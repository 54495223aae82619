import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findHeadless } from '../../.scripts/browsers.mjs';
import { installInto, npm, packPackage, startProject } from './project.mjs';

const PACKAGES = ['next@16.4.6', 'react@19.2.1', 'react-dom@19.2.1'];

process.env['NEXT_TELEMETRY_DISABLED'] = '1';

let folder: string;
test.beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'sallyport-next-'))));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The page of the guide, whose code stands in the first block after this heading. */
function pageOfGuide(): string {
  const guide = readFileSync('web/docs/frameworks.md', 'utf8');
  return /^## Next\.js$[\s\S]*?^```jsx\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? '';
}

/** The findings of `sallyport doctor` about a page. */
const examined = (cli: string, address: string): string =>
  spawnSync(process.execPath, [cli, 'doctor', address], { encoding: 'utf8' }).stdout;

const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

test('a page made with Next runs behind the lock under the headers that doctor writes', async ({ playwright }) => {
  // Next is installed, builds the page, and compiles it once more as it is developed.
  test.setTimeout(600_000);
  const tarball = packPackage(folder);
  mkdirSync(join(folder, 'app'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'app/layout.jsx'), LAYOUT);
  writeFileSync(join(folder, 'app/page.jsx'), pageOfGuide());
  installInto(folder, [...PACKAGES, tarball]);
  const cli = join(folder, 'node_modules/sallyport/dist/cli.js');
  cpSync(
    join(folder, 'node_modules/sallyport/dist/worker-kernel.js'),
    join(folder, 'public/sallyport/worker-kernel.js'),
  );
  const config = execFileSync(process.execPath, [cli, 'doctor', '--for', 'next'], { encoding: 'utf8' });
  writeFileSync(join(folder, 'next.config.mjs'), config);
  npm(folder, ['exec', '--', 'next', 'build']);
  const browser = await playwright.chromium.launch(findHeadless('chromium') ?? {});
  const isolations: (string | null)[] = [];
  for (const command of ['start', 'dev']) {
    const { address, stop } = await startProject(folder, ['exec', '--', 'next', command, '--port', '0']);
    try {
      const page = await browser.newPage();
      await page.goto(address);
      await page.getByRole('button', { name: 'Greet' }).click();
      await expect(page.locator('output')).toHaveText('Ada was greeted.', { timeout: 60_000 });
      isolations.push(await page.locator('sallyport-run [part=meter]').getAttribute('data-isolation'));
      // The rules match a worker in a folder of `public/`, too.
      const copied = await fetch(`${address}sallyport/worker-kernel.js`);
      expect(copied.headers.get('content-security-policy')).toContain("script-src 'wasm-unsafe-eval'");
      if (command === 'start') expect(examined(cli, address)).toMatch(/^(✓ .+\n){5,}$/);
    } finally {
      await stop();
    }
  }
  expect(isolations).toEqual(['locked', 'locked']);
  await browser.close();
});
