#!/usr/bin/env node
/** The command `sallyport`. */
import { type Command, EXIT, runCommand, type Terminal, UsageError } from './node/command/command.ts';
import { processTerminal } from './node/command/terminal.ts';
import { PACKAGE_VERSION } from './package-version.ts';

/** The commands by name. Each is loaded when it is called, so that a host starts `sallyport mcp` without the others. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  verify: async () => (await import('./node/command/verify.ts')).verify,
  replay: async () => (await import('./node/command/verify.ts')).replay,
  show: async () => (await import('./node/command/show.ts')).show,
  diff: async () => (await import('./node/command/diff.ts')).diff,
  checkpoint: async () => (await import('./node/command/checkpoint.ts')).checkpoint,
  fsck: async () => (await import('./node/command/fsck.ts')).fsck,
  forget: async () => (await import('./node/command/forget.ts')).forget,
  undo: async () => (await import('./node/command/undo.ts')).undo,
  index: async () => (await import('./node/command/content.ts')).index,
  new: async () => (await import('./node/command/new.ts')).newProject,
  serve: async () => (await import('./node/command/serve.ts')).serve,
  mcp: async () => (await import('./node/command/mcp.ts')).mcp,
  'mcp doctor': async () => (await import('./node/command/mcp-doctor.ts')).mcpDoctor,
  'mcp watch': async () => (await import('./node/command/mcp-watch.ts')).mcpWatch,
  'grants list': async () => (await import('./node/command/grants-list.ts')).grantsList,
  'grants propose': async () => (await import('./node/command/grants.ts')).grantsPropose,
  'grants try': async () => (await import('./node/command/grants.ts')).grantsTry,
  doctor: async () => (await import('./node/command/doctor.ts')).doctor,
};

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

async function main(given: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '--help', second, ...rest] = given;
  const isTwo = Object.hasOwn(COMMANDS, `${first} ${second}`);
  const name = isTwo ? `${first} ${second}` : first;
  const words = isTwo ? rest : given.slice(1);
  // `help verify` is `verify --help`.
  if (name === 'help' && second !== undefined) return main([...words, '--help'], terminal);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (load !== undefined) return await runCommand(await load(), words, terminal);
    terminal.print(await about(name, words));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const why = error.message.replace(/\.$/, '');
    terminal.complain(`sallyport: ${why}. Try sallyport ${load === undefined ? '' : `${name} `}--help`);
    return EXIT.usage;
  }
}

async function about(word: string, words: readonly string[]): Promise<string> {
  if (word === '--version') return PACKAGE_VERSION;
  if (word === '--help' || word === '-h' || word === 'help') return overview();
  const commands = Object.keys(COMMANDS);
  const begun = commands.filter((name) => name.startsWith(`${word} `));
  if (begun.length > 0 && words.some((each) => each === '--help' || each === '-h')) return listOf(begun);
  if (begun.length > 0) throw new UsageError(`${JSON.stringify(word)} begins ${begun.join(' and ')}`);
  const names = commands.join(', ');
  throw new UsageError(`There is no command ${JSON.stringify(word)} among ${names}`);
}

/** Names and summaries of commands, a line each. */
async function listOf(names: readonly string[]): Promise<string> {
  const commands = await Promise.all(names.flatMap((each) => COMMANDS[each]?.() ?? []));
  return commands.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`).join('\n');
}

async function overview(): Promise<string> {
  return [
    'The model proposes, the gates decide, the sandbox acts, the ledger proves.\n',
    'Usage: sallyport COMMAND [options] [operands]\n',
    'Commands:',
    await listOf(Object.keys(COMMANDS)),
    '\nsallyport COMMAND --help shows options and examples.',
    'Exit codes: 0 ok, 1 tampered, 2 malformed, 3 replay differs, 4 decision differs, 5 a tried configuration refuses, 64 usage, 70 could not be done.',
  ].join('\n');
}
