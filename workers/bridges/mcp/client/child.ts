import { type ChildProcess, spawn } from 'node:child_process';
import type { McpCommand } from './api.ts';

/** Variables of this process that a child needs on its platform. Others are passed on by `env` alone. */
export const PLATFORM_VARIABLES: readonly string[] =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];

/** The process of a server. What it writes before it is read waits in its pipes. */
export interface ServerProcess {
  readonly process: ChildProcess;
  /** Rejects where the process cannot be started. */
  readonly started: Promise<void>;
  /** Resolves when the process has ended and its pipes are read to their end, or when it could not be started. */
  readonly closed: Promise<void>;
}

/** Starts the process of a server, with the variables that the platform needs and those that are named. */
export function startProcess({ command, args = [], env = {}, cwd }: McpCommand): ServerProcess {
  const child = spawn(command, [...args], {
    env: { ...platformVariables(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  });
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${command} cannot be started`, { cause: error })));
  });
  started.catch(() => undefined);
  return { process: child, started, closed: new Promise((resolve) => child.once('close', () => resolve())) };
}

function platformVariables(): Record<string, string> {
  const entries = PLATFORM_VARIABLES.map((name) => [name, process.env[name]] as const);
  // an exported function of a shell begins so, and is code
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && !value.startsWith('()'))) as Record<
    string,
    string
  >;
}
