// `node .scripts/generate-validators.mjs`: bundles the two guest scripts of the schema realm and compiles the
// schemas of built-in capabilities. A test runs `generate` and compares, so the files in git are never stale.
//
// Built-in schemas are `args` and `result` of every capability in `COMPILED` of `sandbox/capabilities/index.ts`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { build, minify } from 'vite';
import { ROOT } from './steps.mjs';

const AJV_VERSION = '8.20.0';

/** Places where published ajv is not sufficient. Each must be found exactly `times` times, or the build fails.
 * @type {Array<{file: string, times: number, from: string, to: string}>} */
const PATCHES = [
  {
    // The realm only generates code. It never evaluates any, so neither does it need `Function`.
    file: 'ajv/dist/compile/index.js',
    times: 1,
    from: 'const makeValidate = new Function(`${names_1.default.self}`, `${names_1.default.scope}`, sourceCode);\n        const validate = makeValidate(this, this.scope.get());',
    to: 'const validate = () => { throw new Error("generated, not compiled"); };',
  },
  {
    // Referred schemas wait in a queue: compiled inside of each other, forty in a row overflow the guest's stack.
    file: 'ajv/dist/compile/index.js',
    times: 1,
    from: 'return sch.validate ? sch : compileSchema.call(this, sch);',
    to: 'if (!sch.validate && !this.queue.includes(sch)) this.queue.push(sch);\n    return sch;',
  },
  {
    // Linted schemas have no $id and no $anchor. Looking for them, ajv takes data of a stranger for schemas.
    file: 'ajv/dist/compile/resolve.js',
    times: 1,
    from: 'function getSchemaRefs(schema, baseId) {\n',
    to: 'function getSchemaRefs(schema, baseId) {\n    return {};\n',
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
  {
    // Another function's dictionary is copied: it is written to, and may be the same at every call.
    file: 'ajv/dist/vocabularies/core/ref.js',
    times: 1,
    from: '(0, codegen_1._) `${source}.evaluated.props`',
    to: '(0, codegen_1._) `typeof ${source}.evaluated.props == "object" ? Object.assign(Object.create(null), ${source}.evaluated.props) : ${source}.evaluated.props`',
  },
  {
    // The dictionary may be absent, or `true` for "all of them", when another keyword has made it.
    file: 'ajv/dist/vocabularies/applicator/patternProperties.js',
    times: 1,
    from: 'gen.assign((0, codegen_1._) `${props}[${key}]`, true);',
    to: 'gen.if((0, codegen_1._) `${props} !== true`, () => gen.assign(props, (0, codegen_1._) `${props} || Object.create(null)`).assign((0, codegen_1._) `${props}[${key}]`, true));',
  },
  {
    // The number of evaluated items may also be absent: compared unchecked, an absent number accepts every value.
    file: 'ajv/dist/vocabularies/unevaluated/unevaluatedItems.js',
    times: 1,
    from: 'const items = it.items || 0;',
    to: 'const items = it.items instanceof codegen_1.Name ? gen.const("from", (0, codegen_1._) `${it.items} === undefined ? 0 : ${it.items} === true ? ${data}.length : ${it.items}`) : it.items || 0;',
  },
  {
    // Members that `if` evaluated count when it matched, and also without `then` and `else`.
    file: 'ajv/dist/vocabularies/applicator/if.js',
    times: 1,
    from: 'cxt.mergeEvaluated(schCxt);',
    to: 'cxt.mergeValidEvaluated(schCxt, schValid);',
  },
  {
    file: 'ajv/dist/vocabularies/applicator/if.js',
    times: 1,
    from: 'if (!hasThen && !hasElse)',
    to: 'if (!hasThen && !hasElse && !it.opts.unevaluated)',
  },
  {
    file: 'ajv/dist/vocabularies/applicator/if.js',
    times: 1,
    from: 'else {\n            gen.if((0, codegen_1.not)(schValid)',
    to: 'else if (hasElse) {\n            gen.if((0, codegen_1.not)(schValid)',
  },
  {
    file: 'ajv/dist/vocabularies/applicator/if.js',
    times: 1,
    from: 'cxt.pass(valid,',
    to: 'if (hasThen || hasElse) cxt.pass(valid,',
  },
  // In a realm where only our code has run, an inherited name can be mistaken for a member of the data only if every
  // object inherits it; all enumerable members belong to the data.
  {
    file: 'ajv/dist/vocabularies/code.js',
    times: 2,
    from: 'return ownProperties ? ',
    to: 'return ownProperties === true || (ownProperties && (typeof property != "string" || property in {})) ? ',
  },
  {
    file: 'ajv/dist/compile/codegen/index.js',
    times: 1,
    from: 'if (this.opts.ownProperties) {',
    to: 'if (this.opts.ownProperties === true) {',
  },
  // Of an issue only the place, the keyword, the message and the additional member are read.
  {
    file: 'ajv/dist/compile/errors.js',
    times: 1,
    from: '        errorSchemaPath(cxt, errorPaths),\n',
    to: '',
  },
  {
    file: 'ajv/dist/compile/errors.js',
    times: 1,
    from: '[E.params, typeof params == "function" ? params(cxt) : params || (0, codegen_1._) `{}`]',
    to: '...(/^(additionalProperties|unevaluatedProperties|propertyNames)$/.test(keyword) ? [[E.params, params(cxt)]] : [])',
  },
  {
    // An empty array has no item to try: the variable would keep the answer for the array before.
    file: 'ajv/dist/vocabularies/applicator/contains.js',
    times: 1,
    from: 'if (max === undefined && min === 1) {',
    to: 'if (max === undefined && min === 1) {\n            gen.var(valid, false);',
  },
  // The code that stops at the first error skips the keywords after `prefixItems` when the array is short.
  ...['if', 'not'].map((name) => ({
    file: `ajv/dist/vocabularies/applicator/${name}.js`,
    times: 1,
    from: 'allErrors: false,',
    to: 'allErrors: true,',
  })),
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

/** A single self-contained script.
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
  const [built] = /** @type {import('rolldown').RolldownOutput[]} */ (Array.isArray(result) ? result : [result]);
  const { output } = built ?? { output: [] };
  if (output.length !== 1 || output[0] === undefined) throw new Error(`${entry} is more than one file`);
  return output[0].code;
}

/** @param {string} entry a TypeScript module of ours, bundled and imported
 * @returns {Promise<unknown>} */
async function load(entry) {
  const code = await bundle(entry, 'es');
  return /** @type {Promise<unknown>} */ (
    import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
  );
}

/** Runs the compile realm's script outside of a realm: for trusted schemas only.
 * @param {string} script
 * @returns {(schemaText: string) => string} */
function compilerOf(script) {
  const context = vm.createContext({});
  const { precompile } = /** @type {{precompile: (schemaText: string) => string}} */ (vm.runInContext(script, context));
  return precompile;
}

/** @returns {Promise<Array<{name: string, schema: unknown}>>} */
async function builtInSchemas() {
  const { COMPILED } = /** @type {{COMPILED: Array<{name: string, args: unknown, result?: unknown}>}} */ (
    await load('sandbox/capabilities/index.ts')
  );
  return COMPILED.flatMap(({ name, args, result }) => [
    { name: `${name} args`, schema: args },
    ...(result === undefined ? [] : [{ name: `${name} result`, schema: result }]),
  ]);
}

/** @param {Array<{name: string, schema: unknown}>} schemas @param {string} script
 * @param {typeof import('../core/schema/lint.ts').lint} lint
 * @returns {string} the text of a module that exports `VALIDATORS` */
export function validatorModule(schemas, script, lint) {
  const compile = compilerOf(script);
  const entries = new Map();
  for (const { name, schema } of schemas) {
    const linted = lint(schema);
    if (!linted.ok) throw new Error(`${name}: ${linted.refusal.message}`);
    const code = compile(JSON.stringify(linted.value.plain));
    entries.set(linted.value.hash, `  // ${name}\n  [${JSON.stringify(linted.value.hash)}, ${code}],\n`);
  }
  const makers = [...entries.values()].join('');
  // formats bring the linter's tables with them, so they are left out where no schema names a format
  const runtime = makers.includes('runtime.formats')
    ? "{ RUNTIME } from './runtime.ts'"
    : "{ OPERATIONS as RUNTIME } from './operations.ts'";
  return `import { validate } from './issues.ts';
import ${runtime};

const MAKERS = [
${makers}];

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
const asText = (name, code) => `${NOTE}export const ${name}: string =\n  ${JSON.stringify(`${code.trim()}\nguest`)};\n`;

/** @param {string} code @returns {Promise<string>} */
async function small(code) {
  const result = await minify('validators.js', code, { module: true, compress: true, mangle: true });
  return `${NOTE}${result.code}\n`;
}

/** @returns {Promise<Map<string, string>>} path below the root to text */
export async function generate() {
  const compiler = await bundle('sandbox/schema/guest/compiler.ts', 'iife');
  const checker = await bundle('sandbox/schema/guest/checker.ts', 'iife');
  const script = `${compiler}\nguest`;
  const { lint } = /** @type {typeof import('../core/schema/lint.ts')} */ (await load('core/schema/lint.ts'));
  return new Map([
    ['sandbox/schema/compiler.generated.ts', asText('SCHEMA_COMPILER', compiler)],
    ['sandbox/schema/checker.generated.ts', asText('SCHEMA_CHECKER', checker)],
    ['core/schema/validators.generated.js', await small(validatorModule(await builtInSchemas(), script, lint))],
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
