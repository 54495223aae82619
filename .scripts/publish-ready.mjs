// `prepublishOnly`: refuses to publish while package.json lacks the author, the repository or the contact.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { missingFields } from './publish-address.mjs';
import { ROOT } from './steps.mjs';

/** Ends the process with 1 and a message that names each missing field. */
export function assertPublishable() {
  const missing = missingFields(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  if (missing.length === 0) return;
  console.error('Publishing is refused. In package.json:');
  for (const sentence of missing) console.error(`  ${sentence}`);
  console.error('Then run `npm run release -- citation`, commit package.json and CITATION.cff, and publish again.');
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) assertPublishable();
