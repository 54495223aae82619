import { type Dialect, decode, isObject, type JsonValue } from '../../../core/index.ts';
import type { Playground } from '../playground.ts';
import { definitionsOf } from '../run/registry.ts';
import { isStrange, labelsIn } from '../run/session.ts';
import { tasksOf } from '../run/tasks.ts';
import { authorityOf, type CopiedProposer, type CopiedSetup } from './copied-setup.ts';

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
