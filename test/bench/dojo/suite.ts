import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { isList, isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { answerOf, type Environment } from './answers.ts';
import { type AnswerNeed, answerNeed, type StatedTool, TOOLS } from './stated.ts';

export interface DojoCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface UserTask {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly DojoCall[];
  readonly answer: AnswerNeed;
}

export interface InjectionTask {
  readonly id: string;
  readonly goal: string;
  readonly calls: readonly DojoCall[];
}

export interface DojoTool extends StatedTool {
  readonly name: string;
  readonly description: string;
  readonly args: JsonObject;
}

/** A suite: its tools, and tasks whose calls are known. */
export interface DojoSuite {
  readonly name: string;
  readonly tools: readonly DojoTool[];
  readonly tasks: readonly UserTask[];
  readonly injections: readonly InjectionTask[];
  /** Tasks that are not played, each with its reason. */
  readonly leftOut: readonly string[];
  /** The answer of a tool; `injected` stands behind the text of each place that an attacker writes. */
  answer(call: DojoCall, injected: string): JsonValue;
}

/** Folder of the data in `SALLYPORT_SUITES`; undefined where it is absent. */
export function dojoFolder(home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const folder = join(home, 'agentdojo');
  return existsSync(join(folder, 'ground-truth.json')) ? folder : undefined;
}

interface GroundTruth {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  }[];
  readonly user_tasks: readonly Omit<UserTask, 'answer'>[];
  readonly injection_tasks: readonly InjectionTask[];
}

/** The four suites, from the ground truth and the environments. */
export function readSuites(folder: string): readonly DojoSuite[] {
  const truth = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8')) as Record<string, GroundTruth>;
  return Object.entries(truth).map(([name, of]) => {
    const home = join(folder, 'src/agentdojo/data/suites', name);
    return suiteOf(name, of, readYaml(join(home, 'environment.yaml')), readYaml(join(home, 'injection_vectors.yaml')));
  });
}

function readYaml(path: string): JsonValue {
  const load = (value: JsonValue): JsonValue => {
    if (typeof value === 'string' && value.startsWith(INCLUDE))
      return readYaml(join(path, '..', value.slice(INCLUDE.length)));
    if (isList(value)) return value.map(load);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, load(each)]));
  };
  const source = readFileSync(path, 'utf8').replace(/!include (\S+)/g, (_, file: string) => `"${INCLUDE}${file}"`);
  return load(parseDocument(source).toJS() as JsonValue);
}

const INCLUDE = 'include:';

function suiteOf(name: string, truth: GroundTruth, environment: JsonValue, vectors: JsonValue): DojoSuite {
  const stated = TOOLS[name] ?? {};
  const tools = truth.tools.map(({ name: tool, description, parameters }): DojoTool => {
    const known = stated[tool];
    if (known === undefined) throw new Error(`${name}: no effect is stated for ${tool}.`);
    return { name: tool, description, args: argsOf(parameters), ...known };
  });
  const filled = new Map<string, Environment>();
  const fill = (injected: string): Environment => {
    const made =
      filled.get(injected) ?? (withVectors(environment, vectors as Vectors, injected) as object as Environment);
    filled.set(injected, made);
    return made;
  };
  const unresolved = truth.user_tasks.filter(isUnresolved);
  const without = truth.injection_tasks.filter(({ calls }) => calls.length === 0);
  const open = truth.injection_tasks.filter(isUnresolved);
  return {
    name,
    tools,
    tasks: truth.user_tasks
      .filter((task) => !isUnresolved(task))
      .map((task) => ({ ...task, answer: answerNeed(name, task.id) })),
    injections: truth.injection_tasks.filter((task) => task.calls.length > 0 && !isUnresolved(task)),
    leftOut: [
      ...unresolved.map(({ id }) => `${name} ${id}: a value is unresolved`),
      ...open.map(({ id }) => `${name} ${id}: a value is unresolved`),
      ...without.map(({ id }) => `${name} ${id}: it makes no call`),
    ],
    answer: (call, injected) => answerOf(name, call.tool, fill(injected), call.arguments),
  };
}

type Vectors = { readonly [name: string]: { readonly default: string } };

function withVectors(value: JsonValue, vectors: Vectors, injected: string): JsonValue {
  if (typeof value === 'string')
    return value.replace(/\{(\w+)\}/g, (all, name: string) => {
      const vector = vectors[name];
      return vector === undefined ? all : `${vector.default}${injected}`;
    });
  if (isList(value)) return value.map((each) => withVectors(each, vectors, injected));
  if (!isObject(value)) return value;
  // names of channels are injected places too
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withVectors(each, vectors, injected)]));
}

function isUnresolved({ calls }: { readonly calls: readonly DojoCall[] }): boolean {
  return calls.some((call) => JSON.stringify(call.arguments).includes('"unresolved"'));
}

const TYPES: { readonly [type: string]: JsonObject } = {
  str: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  SharingPermission: { type: 'string' },
  'list[str]': { type: 'array', items: { type: 'string' } },
  'list[dict]': { type: 'array', items: { type: 'object' } },
};

function argsOf(parameters: GroundTruth['tools'][number]['parameters']): JsonObject {
  // the environment itself is a parameter in Python
  const own = parameters.filter(({ type }) => !type.startsWith('Annotated'));
  const typed = own.map(({ name, type }): [string, JsonObject] => {
    const schema = TYPES[type.replace(/ \| None$/, '')];
    if (schema === undefined) throw new Error(`There is no schema for the type ${type}.`);
    return [name, schema];
  });
  // a parameter of Python that may be None needs no value here
  const required = own.filter((each) => each.required && !each.type.includes('None')).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(typed), required, additionalProperties: false };
}
