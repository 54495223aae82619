// `node .scripts/generate-validators.mjs`: bundles the two guest scripts of the schema realm and compiles the
// schemas of built-in capabilities. A test runs `generate` and compares, so the files in git are never stale.
//
// Built-in schemas are `args` and `result` of every capability in `BUILT_IN_CAPABILITIES`, which
// `sandbox/capabilities/index.ts` exports.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build } from 'vite';
import { ROOT } from './steps.mjs';

const AJV_VERSION = '8.20.0';

/** Two places where ajv as published does not do: each must be found exactly as often as said, or nothing is built.
 * @type {Array<{file: string, times: number, from: string, to: string}>} */
const PATCHES = [
  {
    // The realm only generates code. It never evaluates any, so neither does it need `Function`.
    file: 'ajv/dist/compile/index.js',
    times: 1,
    from: 'const makeValidate = new Function(`${names_1.default.self}`, `${names_1.default.scope}`, sourceCode);\n        const validate = makeValidate(this, this.scope.get());',
    to: 'const validate = () => { throw new Error("generated, not compiled"); };',
  },
  // Names of evaluated members are looked up in this dictionary: with a prototype, a member called `constructor`
  // counts as evaluated and `unevaluatedProperties: false` lets it through.
  {
    file: 'ajv/dist/compile/util.js',
    times: 1,
    from: '(0, codegen_1._) `{}`',
    to: '(0, codegen_1._) `Object.create(null)`',
  },
  { file: 'ajv/dist/compile/util.js', times: 2, from: '`${to} || {}`', to: '`${to} || Object.create(null)`' },
];

/** References are `#` or `#/$defs/r0` after linting: no URI is ever resolved. */
const NO_URIS = `module.exports = {
  parse: (uri) => ({ fragment: uri.split('#')[1] }),
  serialize: () => '',
  resolve: (base, ref) => ref,
}`;

/** @returns {import('vite').Plugin} */
function patchAjv() {
  return {
    name: 'patch-ajv',
    enforce: 'pre',
    resolveId: (id) => (id === 'fast-uri' ? '\0no-uris' : null),
    load: (id) => (id === '\0no-uris' ? NO_URIS : null),
    transform(code, id) {
      const patches = PATCHES.filter(({ file }) => id.endsWith(file));
      return patches.length === 0 ? null : { code: patches.reduce(patched, code), map: null };
    },
  };
}

/** @param {string} code @param {(typeof PATCHES)[number]} patch */
function patched(code, { file, times, from, to }) {
  const parts = code.split(from);
  if (parts.length !== times + 1) throw new Error(`${file} is not ajv ${AJV_VERSION}: cannot patch it`);
  return parts.join(to);
}

/** One self-contained script.
 * @param {string} entry @param {'iife' | 'es'} format
 * @returns {Promise<string>} */
async function bundle(entry, format) {
  const result = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [patchAjv()],
    build: {
      write: false,
      target: 'es2022',
      minify: format === 'iife',
      modulePreload: false,
      lib: { entry: join(ROOT, entry), formats: [format], name: 'guest', fileName: 'guest' },
    },
  });
  const [{ output }] = /** @type {import('rolldown').RolldownOutput[]} */ (Array.isArray(result) ? result : [result]);
  if (output.length !== 1) throw new Error(`${entry} is more than one file`);
  return output[0].code;
}

/** @param {string} entry a TypeScript module of ours, bundled and imported */
async function load(entry) {
  const code = await bundle(entry, 'es');
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

/** Runs the compile realm's script outside of a realm: for trusted schemas only.
 * @param {string} script
 * @returns {(schemaText: string) => string} */
function compilerOf(script) {
  const context = vm.createContext({});
  vm.runInContext(script, context);
  return (text) => context.compileSchema(text);
}

async function builtInSchemas() {
  const index = 'sandbox/capabilities/index.ts';
  if (!existsSync(join(ROOT, index))) return [];
  const { BUILT_IN_CAPABILITIES = [] } = await load(index);
  return BUILT_IN_CAPABILITIES.flatMap(({ name, args, result }) => [
    { name: `${name} args`, schema: args },
    ...(result === undefined ? [] : [{ name: `${name} result`, schema: result }]),
  ]);
}

/** @param {Array<{name: string, schema: unknown}>} schemas @param {string} script
 * @returns {Promise<string>} the text of a module that exports `VALIDATORS` */
export async function validatorModule(schemas, script) {
  const { lint } = await load('core/schema/lint.ts');
  const compile = compilerOf(script);
  const entries = new Map();
  for (const { name, schema } of schemas) {
    const linted = lint(schema);
    if (!linted.ok) throw new Error(`${name}: ${linted.refusal.message}`);
    const code = compile(JSON.stringify(linted.value.plain));
    entries.set(linted.value.hash, `  // ${name}\n  [${JSON.stringify(linted.value.hash)}, ${code}],\n`);
  }
  return `${NOTE}import { validate } from './issues.ts';
import { RUNTIME } from './runtime.ts';

const MAKERS = [
${[...entries.values()].join('')}];

export const VALIDATORS = new Map(
  MAKERS.map(([hash, make]) => {
    const validator = make(RUNTIME);
    return [hash, (value) => validate(validator, value)];
  }),
);
`;
}

const NOTE = '// Generated by .scripts/generate-validators.mjs: do not edit.\n';

/** @param {string} name @param {string} code */
const asText = (name, code) => `${NOTE}export const ${name}: string =\n  ${JSON.stringify(code)};\n`;

/** @returns {Promise<Map<string, string>>} path below the root to text */
export async function generate() {
  const compiler = await bundle('sandbox/schema/guest/compiler.ts', 'iife');
  const checker = await bundle('sandbox/schema/guest/checker.ts', 'iife');
  return new Map([
    ['sandbox/schema/compiler.generated.ts', asText('SCHEMA_COMPILER', compiler)],
    ['sandbox/schema/checker.generated.ts', asText('SCHEMA_CHECKER', checker)],
    ['core/schema/validators.generated.js', await validatorModule(await builtInSchemas(), compiler)],
  ]);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of await generate()) {
    const file = join(ROOT, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    writeFileSync(file, text);
    console.log(`wrote ${path} (${text.length} characters)`);
  }
}
