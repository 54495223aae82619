// A server that runs agents: several processes share its port and a database of PostgreSQL, `DATABASE_URL`. `PEOPLE` has
// the name and the token of each person who may use it, such as `ada=SECRET1 bob=SECRET2`, `SIGNERS` a file with the
// passkeys whose signed yes a shipment of theirs wants, and `ORIGIN` its address behind a server with TLS.
import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openAgents } from './agents.js';
import { serve } from './http.js';

const { PORT = '8080', PROCESSES = '3', DATABASE_URL, SIGNERS } = process.env;
const PEOPLE = process.env.PEOPLE ?? `me=${randomBytes(16).toString('hex')}`;
const ORIGIN = process.env.ORIGIN ?? `http://localhost:${PORT}`;

const signers = SIGNERS === undefined ? {} : JSON.parse(readFileSync(SIGNERS, 'utf8'));
const names = people().map(([name]) => name);
// A name that is misspelt would leave the shipments of a person without signatures.
const stray = Object.keys(signers).filter((name) => !names.includes(name));
if (stray.length > 0) throw new Error(`SIGNERS names ${stray.join(' and ')}, and PEOPLE does not.`);

// Each process accepts its own connections. A connection that the first process hands to a dying one is never answered.
cluster.schedulingPolicy = cluster.SCHED_NONE;

if (cluster.isPrimary) {
  for (let nth = 0; nth < Number(PROCESSES); nth++) cluster.fork({ PEOPLE });
  let isEnding = false;
  // A process that died is replaced. Its runs go on in the process that claims them first.
  cluster.on('exit', () => isEnding || cluster.fork({ PEOPLE }));
  process.once('SIGTERM', () => {
    isEnding = true;
    for (const { process: child } of Object.values(cluster.workers)) child.kill('SIGTERM');
  });
  cluster.once('listening', () => {
    for (const [name, token] of people()) process.stdout.write(`${name}: ${ORIGIN}/?token=${token}\n`);
  });
} else {
  const agents = await openAgents(DATABASE_URL, { names, signers });
  const server = serve(agents, { port: Number(PORT), tokens: new Map(people()), origin: ORIGIN });
  process.once('SIGTERM', async () => {
    server.close();
    // The runs go on in another process, or after the next start.
    await Promise.allSettled([...agents.values()].map((each) => each.suspend()));
    process.exit();
  });
}

/** The people with their tokens. A name is a part of the name of a log. */
function people() {
  const all = PEOPLE.split(' ').map((each) => /^([a-z0-9]{1,16})=(\S{16,})$/.exec(each)?.slice(1));
  if (all.includes(undefined))
    throw new Error('PEOPLE has a name of a to z and 0 to 9, and a token of 16 letters, each.');
  return all;
}
