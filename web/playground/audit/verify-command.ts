import { anchorFault, parseCheckpoint } from '../../../core/index.ts';

/** The shell command that checks the open file elsewhere. The name and the anchor are a stranger's texts. */
export function verifyCommand(name: string, anchor: string): string {
  return `npx sallyport verify ${fileWord(name)}${anchorOption(anchor)}`;
}

/** The anchor's text may come from a link, so only its digits go into a shell command. */
function anchorOption(given: string): string {
  if (parseCheckpoint(given).ok) return ' --checkpoint checkpoint.txt';
  const head = /(?:\d+:)?[0-9a-f]{64}$/iu.exec(given.trim())?.[0];
  return head === undefined || anchorFault(given) !== undefined ? '' : ` --anchor ${head}`;
}

/** The file's name where it is plain enough for every shell; a placeholder for other names. */
function fileWord(name: string): string {
  return /^[\w][\w.-]{0,127}$/u.test(name) ? name : 'run.jsonl';
}
