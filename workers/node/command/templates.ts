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
    first: ['site/notes.js', 'the capabilities, the grants and the question to the model'],
  },
};
