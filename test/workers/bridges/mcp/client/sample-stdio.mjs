// The sample server as a child process.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeSampleServer } from './sample.mjs';

serveStdio(() => makeSampleServer());
