// A server that runs agents: several processes share its port and a ledger in PostgreSQL. `DATABASE_URL` is the
// database, `TOKEN` the secret of the people who may use the server, `ORIGIN` its address behind a server with TLS.
import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { openAgents } from './agents.js';
import { serve } from './http.js';

const { PORT = '8080', PROCESSES = '3' } = process.env;
const TOKEN = process.env.TOKEN ?? randomBytes(16).toString('hex');

// Each process accepts its own connections. A connection that the first process hands to a dying one is never answered.
cluster.schedulingPolicy = cluster.SCHED_NONE;

if (cluster.isPrimary) {
  for (let nth = 0; nth < Number(PROCESSES); nth++) cluster.fork({ TOKEN });
  // A process that died is replaced. Its runs go on in the process that claims them first.
  cluster.on('exit', () => cluster.fork({ TOKEN }));
  cluster.once('listening', () => process.stdout.write(`http://127.0.0.1:${PORT}/?token=${TOKEN}\n`));
} else {
  serve(await openAgents(process.env.DATABASE_URL), { port: Number(PORT), token: TOKEN, origin: process.env.ORIGIN });
}
