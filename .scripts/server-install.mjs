// Provides the servers that the suites of `npm run test:long -- world` start: PostgreSQL, and a proxy before it.
import { existsSync } from 'node:fs';
import { installFromDebian } from './debian.mjs';

/** Package of Debian by the path of a program or folder of it. */
const SERVERS = { '/usr/lib/postgresql': 'postgresql', '/usr/sbin/pgbouncer': 'pgbouncer' };

/** Installs the servers that are missing. Without them their suites are skipped, and say so. */
export function provideServers() {
  const missing = Object.entries(SERVERS).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));
  if (missing.length > 0) installFromDebian(`No ${missing.join(', ')} found`, missing);
}
