import { createReadStream, fstatSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { visibleJson, visibleLine } from '../../../core/text/visible.ts';
import { type Terminal, UsageError } from './command.ts';

/**
 * Terminal of this process. Colours appear only on a terminal: not in a pipe, and not against the person's settings. An
 * input of more than `most` bytes is refused.
 */
export function processTerminal(most: number = INPUT_BYTES_MAX): Terminal {
  const { NO_COLOR, TERM } = process.env;
  return {
    color: process.stdout.isTTY && (NO_COLOR ?? '') === '' && TERM !== 'dumb',
    print: (text) => void process.stdout.write(`${text}\n`),
    printJson: (value) => void process.stdout.write(`${visibleJson(JSON.stringify(value))}\n`),
    complain: (text) => void process.stderr.write(`${visibleLine(text)}\n`),
    read: (path) => read(path, most),
    ask: process.stdin.isTTY && process.stdout.isTTY ? ask : undefined,
  };
}

/** Rejects with `UsageError` where the person ends the input, by Ctrl+C or Ctrl+D. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new UsageError('The question was not answered')));
  });
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

async function read(path: string, most: number): Promise<Uint8Array> {
  if (path !== '-') {
    const opened = createReadStream(path, { highWaterMark: 1 << 20 });
    return bounded(opened, path, most).catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`${path} cannot be read (${(error as { code?: string }).code ?? 'unknown'})`);
    });
  }
  // Node would read an empty input from a folder, and an empty input looks like a broken file.
  if (fstatSync(0).isDirectory()) throw new UsageError('Standard input is a folder');
  if (process.stdin.isTTY) throw new UsageError('No file was named, and nothing is piped in');
  return bounded(process.stdin, 'Standard input', most);
}

/** Bytes of an input: a longer one is no text that JavaScript can hold. A device has no end. */
const INPUT_BYTES_MAX: number = 1 << 29;

async function bounded(input: AsyncIterable<Uint8Array>, name: string, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of input) {
    length += piece.length;
    if (length > most) throw new UsageError(`${name} is longer than ${most} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

const PAINTS = { good: 32, own: 36, bad: 31, wait: 33, soft: 2 } as const;

/** Paints text for a terminal with colours. The text alone carries the meaning. */
export function painter({ color }: Terminal): (tone: keyof typeof PAINTS, text: string) => string {
  return (tone, text) => (color ? `\u001b[${PAINTS[tone]}m${text}\u001b[0m` : text);
}
