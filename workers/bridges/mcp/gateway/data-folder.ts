import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Environment } from './config.ts';

/** Files of a gateway. */
export interface GatewayPlaces {
  /** A file that ends in `.sqlite`, or a directory. */
  readonly ledger: string;
  readonly isFile: boolean;
  readonly pins: string;
  /** Configuration that is used where the command line names none. */
  readonly config: string;
}

const NAME = 'sallyport-mcp';

/** Folder for the data of programs of this person, by the custom of the platform. */
export function dataFolder(platform: string, environment: Environment, home: string = homedir()): string {
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'sallyport');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'sallyport');
  return join(environment['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'sallyport');
}

/**
 * The ledger that `--ledger` names, or the ledger of this person: a file of SQLite where this Node has SQLite, which
 * several hosts share, and else a directory, which a single host opens at a time. Pins and configuration are beside it.
 */
export function placesFor(given: string | undefined, hasSqlite: boolean, folder: string): GatewayPlaces {
  const ledger = resolve(given ?? join(folder, hasSqlite ? `${NAME}.sqlite` : NAME));
  const isFile = ledger.endsWith('.sqlite');
  const beside = given !== undefined && !isFile ? ledger : dirname(ledger);
  return { ledger, isFile, pins: join(beside, 'pins.json'), config: join(beside, `${NAME}.json`) };
}

/** Programs that start the program that they are told. */
const STARTERS =
  /^(npx|npm|pnpm|yarn|bunx?|uvx?|pipx|node|deno|python[\d.]*|docker|podman|cmd|sh|bash)(\.(exe|cmd))?$/iu;
const VERBS = new Set(['exec', 'dlx', 'run', 'x', '-m', '--rm', '-i', '-y', '--yes', '/c', '--']);

/** Names of files and folders that say how a program is built, and not what it is. */
const PARTS = /^(index|main|cli|server|start|dist|build|lib|src|bin|out)$/iu;

/** The word of a path that names a program. */
function named(path: string): string {
  const words = path.split(/[\\/]/u).filter((word) => word !== '');
  const bare = words.map((word) => word.replace(/\.(mjs|cjs|js|ts|py|exe|cmd)$/iu, ''));
  return bare.findLast((word) => !PARTS.test(word)) ?? bare.at(-1) ?? '';
}

/** Prefix for the tools of a command: `npx -y @scope/server-files ~/notes` gives `files`. */
export function prefixOfCommand(command: string, args: readonly string[]): string {
  const started = STARTERS.test(basename(command))
    ? args.find((word) => !VERBS.has(word) && !word.startsWith('-'))
    : command;
  const word = named((started ?? command).replace(/(?<=.)@[^/]*$/u, ''))
    .replace(/^(mcp-server|server|mcp)[-_]|[-_](mcp-server|mcp|server)$/giu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/gu, '_')
    .slice(0, 32);
  return /[A-Za-z0-9]/u.test(word) ? word : 'server';
}
