import {
  type CapabilityDefinition,
  type Dialect,
  decode,
  define,
  type Grant,
  type Hold,
  isObject,
  type JsonObject,
  type JsonValue,
  type Label,
  type RunLimits,
  type SymbolRow,
} from '../../../core/index.ts';
import type { GrantOption } from '../../../workers/api.ts';
import { termsOf } from '../parts/grant-terms.ts';
import type { Playground } from '../playground.ts';
import { definitionsOf } from '../run/registry.ts';
import { isStrange, labelsIn } from '../run/session.ts';
import { tasksOf } from '../run/tasks.ts';

export type CopiedProposer =
  | { readonly kind: 'script'; readonly script: readonly string[] }
  | { readonly kind: 'person' }
  | { readonly kind: 'server'; readonly baseUrl: string; readonly model: string; readonly tools: 'native' | 'json' };

/** All that a program needs to begin the same run. A key of a server is never part of it. */
export interface CopiedSetup {
  readonly dialect: Dialect;
  readonly task: string;
  readonly limits?: Partial<RunLimits>;
  /** Labels that the run begins with: it may have a stranger's task and proposals. */
  readonly labels?: readonly Label[];
  /** Which results are held from the model. */
  readonly hold?: Hold;
  readonly capabilities: readonly CapabilityDefinition[];
  readonly grants: readonly GrantOption[];
  /** Names of tools whose functions another program has: they cannot be copied. */
  readonly left: readonly string[];
  readonly proposer: CopiedProposer;
  /** Papers with their symbols, for a run that reads them by messages. */
  readonly files: { readonly [path: string]: string };
  readonly symbols: readonly SymbolRow[];
}

/** The registry and the policy of a run's first record, as data. */
export interface RecordedAuthority {
  readonly definitions: readonly JsonObject[];
  readonly enabled: readonly string[];
  readonly grants: readonly JsonObject[];
}

type CopiedAuthority = Pick<CopiedSetup, 'capabilities' | 'grants' | 'left'>;

/**
 * The capabilities that a run may call, as definitions, and its grants. A disabled capability stays out with its
 * grants: a program that registers it would enable it. Operations of a message need no definition.
 */
export function authorityOf({ definitions, enabled, grants }: RecordedAuthority): CopiedAuthority {
  const hashes = new Set(enabled);
  const known = definitions.flatMap((definition) => {
    const made = define(definition);
    return made.ok && hashes.has(made.value.hash) ? [{ definition, ...made.value }] : [];
  });
  const tools = known.filter(({ manifest }) => manifest.host !== undefined);
  const others = known.filter((each) => !tools.includes(each));
  const copied = others.filter(({ manifest }) => !manifest.name.startsWith('content.'));
  const granted = new Set<unknown>(others.map(({ hash }) => hash));
  return {
    capabilities: copied.map(({ definition, hash }) => shortened(definition, hash)),
    grants: grants.filter((grant) => granted.has(grant['capability_hash'])).flatMap(optionOf),
    left: tools.map(({ manifest }) => manifest.name),
  };
}

/** The definition without the members that `define` fills in: the hash stays the same. */
function shortened(definition: JsonObject, hash: string): CapabilityDefinition {
  const short = ['limits', 'labels', 'powers'].reduce<JsonObject>((whole, member) => {
    const { [member]: _, ...rest } = whole;
    const made = define(rest);
    return made.ok && made.value.hash === hash ? rest : whole;
  }, definition);
  // a registered definition has its members in the order of the alphabet
  const { name, version, description, effect, ...rest } = short;
  return { name, version, description, effect, ...rest } as unknown as CapabilityDefinition;
}

/** A person's answers within a run are no grants of its setup. */
function optionOf(grant: JsonObject): readonly GrantOption[] {
  if (grant['answer'] !== undefined || grant['args_hash'] !== undefined) return [];
  const { capability } = grant;
  return [{ capability, ...termsOf(grant as unknown as Grant) } as GrantOption];
}

/** The setup of the open run, from its first records; undefined until their bytes are here. Read inside a view. */
export function setupOf(store: Playground): CopiedSetup | undefined {
  const session = store.session.value;
  const first = session?.records.value[0];
  const [task] = tasksOf(session);
  if (session === undefined || first?.kind !== 'configuration' || task === undefined) return undefined;
  const payload = session.payload(first.body.policy);
  const definitions = definitionsOf(session);
  if (payload.state !== 'there' || definitions.length === 0) return undefined;
  const policy = decode(payload.bytes, POLICY_LIMITS);
  if (!policy.ok || !isObject(policy.value)) return undefined;
  const { enabled, grants } = policy.value;
  const dialect = DIALECTS.find((each) => first.body.dialect.startsWith(each));
  if (dialect === undefined) return undefined;
  const { limits } = store.setup.value;
  const labels = new Set(labelsIn(session.records.value));
  if (isStrange(session)) labels.add('untrusted');
  const readsPapers = dialect === 'catalytic' && session.run !== undefined;
  return {
    dialect,
    task,
    ...(limits === undefined ? {} : { limits }),
    ...(labels.size > 0 && { labels: [...labels] }),
    ...(first.body.hold !== undefined && { hold: first.body.hold }),
    ...authorityOf({ definitions, enabled: listIn(enabled).map(String), grants: listIn(grants).filter(isObject) }),
    proposer: proposerOf(store),
    files: readsPapers ? store.scenario.files : {},
    symbols: readsPapers ? store.scenario.symbols : [],
  };
}

const DIALECTS: readonly Dialect[] = ['xct', 'femtoclaw', 'catalytic'];
/** A `where` may be as large as a schema, and a policy may hold many. */
const POLICY_LIMITS = { bytes: 16 << 20, depth: 64, nodes: 1_000_000 } as const;

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** A model of this page or device, and a stranger's proposals, are not copied: a person proposes in their place. */
function proposerOf({ chosen, session, scenario, endpoint, models }: Playground): CopiedProposer {
  if (chosen.value === 'script') {
    const script = session.value?.proposer?.script ?? scenario.script;
    const isNobodys = script.length === 0 || (session.value !== undefined && isStrange(session.value));
    return isNobodys ? { kind: 'person' } : { kind: 'script', script };
  }
  const connected = models.kind.value === 'server' ? endpoint.connected.value : undefined;
  if (chosen.value === 'you' || connected === undefined) return { kind: 'person' };
  const { baseUrl, model, native } = connected.settings;
  return { kind: 'server', baseUrl, model, tools: native ? 'native' : 'json' };
}
