#!/usr/bin/env node
/** The command `sallyport`. */
import { type Command, EXIT, runCommand, type Terminal, UsageError } from './cli/command.ts';
import { index } from './cli/content.ts';
import { doctor } from './cli/doctor.ts';
import { fsck } from './cli/fsck.ts';
import { serve } from './cli/serve.ts';
import { show } from './cli/show.ts';
import { processTerminal } from './cli/terminal.ts';
import { replay, verify } from './cli/verify.ts';

const COMMANDS: readonly Command[] = [verify, replay, show, fsck, index, serve, doctor];

process.exitCode = await main(process.argv.slice(2), processTerminal());

async function main([name = '--help', ...words]: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const command = COMMANDS.find((each) => each.name === name);
    if (command !== undefined) return await runCommand(command, words, terminal);
    if (name !== '--help') throw new UsageError(`There is no command ${JSON.stringify(name)}`);
    terminal.print(overview());
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.complain(`sallyport: ${error.message}. Try sallyport --help`);
    return EXIT.usage;
  }
}

function overview(): string {
  return [
    'The model proposes, the port decides, the sandbox acts, the ledger proves.\n',
    'Usage: sallyport COMMAND [options] [operands]\n',
    'Commands:',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`),
    '\nsallyport COMMAND --help shows options and examples.',
    'Exit codes: 0 ok, 1 tampered, 2 malformed, 3 replay differs, 4 decision differs, 64 usage.',
  ].join('\n');
}
