import { mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import leven from 'leven';
import { visibleLine } from '../../../core/text/visible.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { writeProject } from './project.ts';
import { TEMPLATES, type Template } from './templates.ts';

const NAMES = Object.keys(TEMPLATES);
const DEFAULT = 'plain';

/** The command `sallyport new`. */
export const newProject: Command = {
  name: 'new',
  summary: 'Makes a project that runs at once, with the package that made it.',
  operands: 'FOLDER',
  options: {
    template: { value: 'NAME', help: `${NAMES.join(', ')}. Absent: asks on a terminal, else ${DEFAULT}.` },
  },
  examples: ['sallyport new agent', 'sallyport new notes --template notes', 'sallyport new . --template react'],
  // The built command lies in `dist/`.
  run: (call) => make(call, dirname(dirname(fileURLToPath(import.meta.url)))),
};

/** Makes the project that a call asks for. `root` is the folder of this package. */
export async function make({ operands, options, json, terminal }: CommandCall, root: string): Promise<number> {
  const [folder = ''] = operands;
  if (folder === '') throw new UsageError('new takes the folder of the project, as in sallyport new agent');
  const given = options['template'];
  // A folder that cannot be used is refused before the question.
  await checkEmpty(folder);
  const name = typeof given === 'string' ? given : await askedName(json ? undefined : terminal.ask, terminal);
  const template = templateOf(name);
  await mkdir(folder, { recursive: true })
    .then(() => writeProject(folder, template, root))
    .catch((error: unknown) => {
      throw new UsageError(`${folder} cannot be written (${codeOf(error)})`);
    });
  if (json) terminal.printJson({ folder, template: name, first: template.first[0] });
  else terminal.print(nextSteps(folder, template));
  return EXIT.ok;
}

async function checkEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw new UsageError(codeOf(error) === 'ENOTDIR' ? `${folder} is not a folder` : `${folder} cannot be read`);
  });
  // A repository without files is as good as an empty folder.
  const [first] = found.filter((file) => file !== '.git');
  if (first !== undefined) throw new UsageError(`${folder} is not empty: it has ${first}, and nothing was written`);
}

async function askedName(ask: Terminal['ask'], terminal: Terminal): Promise<string> {
  if (ask === undefined) return DEFAULT;
  for (const [name, { summary }] of Object.entries(TEMPLATES)) terminal.print(`  ${name.padEnd(6)} ${summary}.`);
  return (await ask(`Which template? (${DEFAULT}) `)).trim() || DEFAULT;
}

function templateOf(name: string): Template {
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  if (template !== undefined) return template;
  const [meant] = NAMES.map((each) => ({ each, edits: leven(name.toLowerCase(), each, { maxDistance: 3 }) }))
    .filter(({ each, edits }) => edits < each.length / 2)
    .sort((left, right) => left.edits - right.edits);
  const hint = meant === undefined ? '' : ` (did you mean ${meant.each}?)`;
  throw new UsageError(`There is no template ${JSON.stringify(name)}${hint} among ${NAMES.join(', ')}`);
}

function nextSteps(folder: string, { first: [file, holds] }: Template): string {
  // The text is a line of a shell, too.
  const place = /^[\w./\\:~-]+$/.test(folder) ? folder : visibleLine(JSON.stringify(folder));
  const enter = folder === '.' ? '' : `cd ${place} && `;
  return ['', `  ${enter}npm install`, '  npm start', '', `Edit ${file} first: it has ${holds}.`].join('\n');
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? 'unknown';
}
