#!/usr/bin/env node
/** The command `sallyport`. */
import { type Command, EXIT, runCommand, type Terminal, UsageError } from './cli/command.ts';
import { index } from './cli/content.ts';
import { doctor } from './cli/doctor.ts';
import { fsck } from './cli/fsck.ts';
import { mcp } from './cli/mcp.ts';
import { newProject } from './cli/new.ts';
import { serve } from './cli/serve.ts';
import { show } from './cli/show.ts';
import { processTerminal } from './cli/terminal.ts';
import { replay, verify } from './cli/verify.ts';

/** Version of the package; the build of the command sets it. */
declare const SALLYPORT_VERSION: string;

const COMMANDS: readonly Command[] = [verify, replay, show, fsck, index, newProject, serve, mcp, doctor];

// A reader that closes the pipe early, as `head` does, is no failure: the exit code is still the command's result.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
// Node's own exit code here is 1, which would report the file as altered.
process.once('uncaughtException', (error: NodeJS.ErrnoException) => {
  const why = error.syscall === 'write' ? `What was found cannot be written (${error.code ?? 'unknown'})` : error.stack;
  process.stderr.write(`sallyport: ${why}\n`, () => process.exit(EXIT.failed));
});
process.exitCode = await main(process.argv.slice(2), processTerminal());

async function main([name = '--help', ...words]: readonly string[], terminal: Terminal): Promise<number> {
  // `help verify` is `verify --help`.
  if (name === 'help' && words[0] !== undefined) return main([words[0], '--help'], terminal);
  const command = COMMANDS.find((each) => each.name === name);
  try {
    if (command !== undefined) return await runCommand(command, words, terminal);
    terminal.print(about(name));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.complain(`sallyport: ${error.message}. Try sallyport ${command === undefined ? '' : `${name} `}--help`);
    return EXIT.usage;
  }
}

function about(word: string): string {
  if (word === '--version') return SALLYPORT_VERSION;
  if (word === '--help' || word === '-h' || word === 'help') return overview();
  const names = COMMANDS.map(({ name }) => name).join(', ');
  throw new UsageError(`There is no command ${JSON.stringify(word)} among ${names}`);
}

function overview(): string {
  return [
    'The model proposes, the port decides, the sandbox acts, the ledger proves.\n',
    'Usage: sallyport COMMAND [options] [operands]\n',
    'Commands:',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`),
    '\nsallyport COMMAND --help shows options and examples.',
    'Exit codes: 0 ok, 1 tampered, 2 malformed, 3 replay differs, 4 decision differs, 64 usage, 70 could not be done.',
  ].join('\n');
}
