import { copyFile, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import leven from 'leven';
import { visibleLine } from '../../../core/text/visible.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';

/** A kind of project that `sallyport new` makes. Its files are those of the examples in the package. */
export interface Template {
  /** A single line, for the list of templates and the README of the project. */
  readonly summary: string;
  /** Files or folders of `web/examples`, each with its place in the project. */
  readonly files: { readonly [example: string]: string };
  readonly scripts: { readonly [name: string]: string };
  /** Packages beside `sallyport`; the manifest of this package has their versions. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** The project can use the small model, a package beside this one. */
  readonly hasSmallModel?: true;
  /** The file that a person edits first, and what it holds. */
  readonly first: readonly [file: string, holds: string];
  /** How the project is published. */
  readonly publish: string;
}

/** A page without a bundler: the command serves it together with the files of the package. */
const PLAIN = {
  scripts: { start: 'sallyport serve site --package sallyport' },
  dependencies: [],
  devDependencies: [],
  publish:
    'Publish: copy the files of `site/`, and `node_modules/sallyport/dist/` as `sallyport/` among them, to your host. `npx sallyport doctor --for HOST FOLDER` writes the headers.',
} as const;

const VITE = {
  scripts: { start: 'vite', build: 'vite build', preview: 'vite preview' },
  devDependencies: ['vite'],
  publish:
    'Publish: `npm run build` writes `dist/`, and `npx sallyport doctor --for HOST dist` writes the headers of your host.',
} as const;

export const TEMPLATES: { readonly [name: string]: Template } = {
  plain: {
    ...PLAIN,
    summary: 'A page with an agent, without a bundler and without a script of its own',
    files: { plain: 'site' },
    first: ['site/scenario.json', 'the capabilities, the grants and the script that proposes'],
  },
  vite: {
    ...VITE,
    summary: 'A page with an agent, made with Vite',
    files: { vite: '.' },
    dependencies: [],
    first: ['main.js', 'the capability, its grant and the model'],
  },
  react: {
    ...VITE,
    summary: 'A page with an agent, made with React and Vite',
    files: { react: '.', 'vite/vite.config.js': 'vite.config.js' },
    dependencies: ['react', 'react-dom'],
    first: ['main.jsx', 'the capability, its grants, the model and the components'],
  },
  notes: {
    ...PLAIN,
    summary: 'Private notes, and a model on this computer that reads them behind the gate',
    files: { notes: 'site' },
    hasSmallModel: true,
    first: ['site/notes.js', 'the capabilities, the grants and the question to the model'],
  },
};

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

/** The part of this package's manifest from which a project gets its versions. */
interface Manifest {
  readonly version: string;
  readonly devDependencies: { readonly [name: string]: string };
}

/** Writes a project into a folder that is empty or absent. `root` is the folder of this package. */
export async function writeProject(folder: string, template: Template, root: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const source = await packageSource(root, manifest.version);
  for (const [from, to] of Object.entries(template.files)) {
    const place = join(folder, to);
    await mkdir(dirname(place), { recursive: true });
    await cp(join(root, 'web/examples', from), place, { recursive: true });
  }
  // a folder that npm has unpacked has no build of the small model, and npm would stop at its absence
  const { smallModel: _, ...known } = source;
  const hasModel = source.isFolder !== true || (await isFolder(join(root, 'dist/small-model')));
  const named = hasModel ? source : known;
  const texts = { ...textsOf(template, manifest, named), ...(source.isFolder && { '.npmrc': NPMRC }) };
  for (const [file, text] of Object.entries(texts)) await writeFile(join(folder, file), text);
  if (source.tarball !== undefined) await copyFile(source.tarball, join(folder, basename(source.tarball)));
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** npm would link the folder of the package, and Vite serves no file outside of the project. */
const NPMRC = 'install-links=true\n';

function textsOf(
  { hasSmallModel, ...template }: Template,
  { devDependencies }: Manifest,
  { dependency, smallModel }: PackageSource,
) {
  const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
  const manifest = {
    private: true,
    type: 'module',
    scripts: template.scripts,
    dependencies: { ...versions(template.dependencies), sallyport: dependency },
    // npm goes on where it does not find the package: the page then says what is missing
    ...(hasSmallModel && smallModel && { optionalDependencies: { 'sallyport-small-model': smallModel } }),
    ...(template.devDependencies.length > 0 && { devDependencies: versions(template.devDependencies) }),
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    '.gitignore': 'node_modules/\ndist/\n',
    'README.md': readmeOf(template),
  };
}

function readmeOf({ summary, first: [file, holds], publish }: Template): string {
  return `# ${summary}

\`\`\`sh
npm install
npm start    # serves the project on this computer and prints the address
\`\`\`

- Edit \`${file}\` first: it has ${holds}.
- The page says whether the browser has locked the kernel. \`npm start\` sends the headers for it.
- ${publish}
- Each run is in the ledger of the browser, with a receipt for each step.
`;
}

/** How a new project installs this very package. */
export interface PackageSource {
  /** Its place or version, as a manifest of npm names it. */
  readonly dependency: string;
  /** A tarball to copy into the project, which `dependency` names. */
  readonly tarball?: string;
  /** `dependency` is a folder. */
  readonly isFolder?: true;
  /** Place or version of the package with the small model; absent where only this package's place is known. */
  readonly smallModel?: string;
}

/**
 * Finds how npm installed the package at `root`. From a registry: its exact version. From a tarball: that file. From
 * another address: that address. A folder that npm did not install, or whose tarball is gone: the folder.
 */
export async function packageSource(root: string, version: string): Promise<PackageSource> {
  const place = `file:${root.replaceAll('\\', '/')}`;
  const folder = { dependency: place, isFolder: true, smallModel: `${place}/dist/small-model` } as const;
  const home = dirname(root);
  if (basename(home) !== 'node_modules') return folder;
  const resolved = await resolvedIn(join(home, '.package-lock.json'));
  if (resolved === undefined || resolved.endsWith(`/sallyport/-/sallyport-${version}.tgz`))
    return { dependency: version, smallModel: version };
  if (!resolved.startsWith('file:')) return { dependency: resolved };
  const tarball = resolve(dirname(home), resolved.slice('file:'.length));
  const isThere = await stat(tarball).then(
    (found) => found.isFile(),
    () => false,
  );
  return isThere ? { dependency: `file:${basename(tarball)}`, tarball } : folder;
}

/** The place from which npm installed the package; undefined where npm noted none. */
async function resolvedIn(lock: string): Promise<string | undefined> {
  try {
    const { packages } = JSON.parse(await readFile(lock, 'utf8')) as {
      readonly packages?: { readonly [path: string]: { readonly resolved?: string } };
    };
    return packages?.['node_modules/sallyport']?.resolved;
  } catch {
    return undefined;
  }
}
