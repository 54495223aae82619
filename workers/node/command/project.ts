import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type PackageSource, packageSource } from './package-source.ts';
import type { Template } from './templates.ts';

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
  const texts = { ...textsOf(template, manifest, source), ...(source.isFolder && { '.npmrc': NPMRC }) };
  for (const [file, text] of Object.entries(texts)) await writeFile(join(folder, file), text);
  if (source.tarball !== undefined) await copyFile(source.tarball, join(folder, basename(source.tarball)));
}

/** npm would link the folder of the package, and Vite serves no file outside of the project. */
const NPMRC = 'install-links=true\n';

function textsOf(template: Template, { devDependencies }: Manifest, { dependency }: PackageSource) {
  const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
  const manifest = {
    private: true,
    type: 'module',
    scripts: template.scripts,
    dependencies: { ...versions(template.dependencies), sallyport: dependency },
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
