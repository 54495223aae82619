import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals-core';
import { contentHash, type Dialect, type Grant, type SymbolRow } from '../../../core/index.ts';
import type { CapabilityDefinition, ContentFile, ContentOverview, GrantOption, Runtime } from '../../../workers/api.ts';
import { CORPUS_CAPABILITIES } from '../../index.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';
import { FILES, type PlaygroundScenario } from '../scenario.ts';

/** The word before the names. */
const PREFIX = 'myfiles';

/**
 * The capabilities that read the content in any dialect, under names of their own: in the playground `corpus.search` and
 * `corpus.read` read the bakery's papers.
 */
const FILE_CAPABILITIES: readonly CapabilityDefinition[] = CORPUS_CAPABILITIES.map(
  ({ source, description, ...rest }) => {
    const named = JSON.parse(JSON.stringify(rest).replaceAll('corpus.', `${PREFIX}.`)) as typeof rest;
    return { ...named, source, description: `In the own files of the person who asks. ${description}` };
  },
);

/** The operation that both use. */
const READ = 'content.read';

/** Each of these needs a grant. */
const GRANTED: readonly string[] = [...FILE_CAPABILITIES.map(({ name }) => name), READ];

const GRANTS: readonly (GrantOption & { readonly capability: string })[] = GRANTED.map((capability) => ({
  capability,
  mode: 'allow',
}));

/** A run about the person's files in this dialect. It has no script: a model or a person proposes. */
export function filesIn(dialect: Dialect): PlaygroundScenario {
  return {
    id: FILES,
    get name() {
      return corpus().own.name;
    },
    get task() {
      return corpus().own.task;
    },
    dialect,
    script: [],
    steps: [],
    capabilities: FILE_CAPABILITIES,
    grants: GRANTS,
    files: {},
    symbols: [],
  };
}

/** The person's files as runs reach them: offered while there are any, and readable while the switch is on. */
export interface OwnFiles {
  /** Files in the content beside the papers of the demo. */
  readonly count: ReadonlySignal<number>;
  /** True while each capability that reads them has a grant. */
  readonly allowed: ReadonlySignal<boolean>;
  /** True while nothing permits a read of content. Between both, a run may reach a part. */
  readonly withheld: ReadonlySignal<boolean>;
  /** The person has revoked the operation that both use, and not turned the switch off: only the person gives it again. */
  readonly revoked: ReadonlySignal<boolean>;
  /** Grants all of them, or takes all of their grants back. This device remembers the choice. */
  allow(on: boolean): Promise<void>;
  /** Reads how many files there are, and offers them. Called before the first run begins. */
  begin(): Promise<void>;
  /** Gives each file a symbol: messages of Catalytic name content by symbols alone. Called before such a run begins. */
  name(): Promise<void>;
}

interface OwnFilesFacts {
  readonly runtime: Pick<Runtime, 'capabilities' | 'content' | 'grants'>;
  /** The content as the panel has read it last. */
  readonly overview: ReadonlySignal<ContentOverview | undefined>;
  /** The texts of the demo's papers by their paths. */
  readonly papers: { readonly [path: string]: string };
  /** The grants of the runs that start from now on. */
  readonly grants: ReadonlySignal<readonly Grant[]>;
  /** True where the next run is of messages: new files are named at once. */
  isNamed(): boolean;
  /** Capabilities or grants have changed. */
  changed(): Promise<void>;
  /** Tells the person of a failure. */
  failed(error: unknown): void;
}

const SETTING = 'sallyport.myfiles';

export function openOwnFiles({ runtime, overview, papers, grants, isNamed, changed, failed }: OwnFilesFacts): OwnFiles {
  const count = signal(0);

  /** A file of the person may have the path of a paper: another text makes it an own file. */
  const isPaper = ({ path, content_hash }: ContentFile): boolean =>
    Object.hasOwn(papers, path) && contentHash(papers[path] ?? '') === content_hash;

  const isGranted = (name: string, given: readonly Grant[]): boolean => {
    const own = given.filter(({ capability }) => capability === name);
    return own.some(({ mode }) => mode !== 'deny') && own.every(({ mode }) => mode !== 'deny');
  };

  /** Hashes of the definitions that are registered here. Another one under such a name gets no grant. */
  const hashes = new Map<string, string>();

  /**
   * Gives what lacks a permission one, or takes all permissions back. Files that come give `READ` none: the bakery has
   * granted it from the beginning, so where it lacks a permission the person has revoked it.
   */
  const setGrants = async (on: boolean, by: 'person' | 'files' = 'person'): Promise<void> => {
    const [rows, listed] = await Promise.all([runtime.capabilities.list(), runtime.grants.list()]);
    const given = listed.filter(({ parent }) => parent === undefined);
    const own = new Set(rows.flatMap(({ name, hash }) => (hashes.get(name) === hash ? [name] : [])));
    for (const option of GRANTS) {
      const allows = given.filter(({ capability, mode }) => capability === option.capability && mode !== 'deny');
      if (!on) for (const { id } of allows) await runtime.grants.revoke(id);
      else if (allows.length === 0 && (own.has(option.capability) || (option.capability === READ && by === 'person')))
        await runtime.grants.grant(option);
    }
  };

  /** A denial goes when the person turns the switch on, and never by itself. */
  const liftDenials = async (): Promise<void> => {
    for (const { id, capability, mode } of await runtime.grants.list())
      if (mode === 'deny' && GRANTED.includes(capability)) await runtime.grants.revoke(id);
  };

  let isOffered = false;
  /** Registers the capabilities with the first files. A definition that a person has added under the name stays. */
  const offer = async (): Promise<void> => {
    if (isOffered) return;
    const there = new Set((await runtime.capabilities.list()).map(({ name }) => name));
    for (const each of FILE_CAPABILITIES.filter(({ name }) => !there.has(name))) {
      const { name, hash } = await runtime.capabilities.register(each);
      hashes.set(name, hash);
      await runtime.capabilities.enable(name);
    }
    await setGrants(readSetting(SETTING) !== 'off', 'files');
    isOffered = true;
    await changed();
  };

  const name = async (): Promise<void> => {
    const [files, rows] = await Promise.all([runtime.content.files(), runtime.content.symbols()]);
    const paths = new Set(files.filter((file) => !isPaper(file)).map(({ path }) => path));
    const gone = rows.filter(
      ({ symbol_id, target_type, target_ref }) =>
        symbol_id.startsWith(SPACE) && target_type === 'FILE' && !paths.has(target_ref),
    );
    for (const { symbol_id } of gone) await runtime.content.undefine(symbol_id);
    const taken = new Set(rows.filter((row) => !gone.includes(row)).map(({ symbol_id }) => symbol_id));
    const named = new Set(rows.map(({ target_ref }) => target_ref));
    const unnamed = [...paths].filter((path) => !named.has(path)).slice(0, Math.max(0, NAMED_MAX - taken.size));
    if (unnamed.length > 0)
      await runtime.content.importSymbols(JSON.stringify(unnamed.map((path) => symbolFor(path, taken))));
  };

  let under: Promise<void> = Promise.resolve();
  /** One change after another: the last word of the person counts. */
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    under = under.then(act).catch(failed);
    return under;
  };

  const look = (): Promise<void> =>
    inTurn(async () => {
      const own = (await runtime.content.files()).filter((file) => !isPaper(file)).length;
      if (own > 0) await offer();
      // counted first: the switch is there as soon as a grant is, even where no name can be given
      count.value = own;
      if (own > 0 && isNamed()) await name();
    });

  // another tab withholds them: the runs of this one, too
  globalThis.addEventListener?.('storage', ({ key, newValue }) => {
    if (key === SETTING && newValue === 'off') void inTurn(() => setGrants(false).then(changed));
  });

  effect(() => {
    const files = overview.value?.files;
    if (files !== undefined) untracked(() => void look());
  });

  const withheld = computed(() => !grants.value.some(({ capability, mode }) => capability === READ && mode !== 'deny'));

  return {
    count,
    withheld,
    revoked: computed(() => withheld.value && FILE_CAPABILITIES.some(({ name }) => isGranted(name, grants.value))),
    allowed: computed(() => GRANTED.every((name) => isGranted(name, grants.value))),
    allow: (on) => {
      writeSetting(SETTING, on ? 'on' : 'off');
      return inTurn(async () => {
        await setGrants(on);
        if (on) await liftDenials();
        await changed();
      });
    },
    begin: async () => {
      const files = await runtime.content.overview().then(
        (now) => now.files,
        () => 0,
      );
      if (files > 0) await look();
    },
    name: () => name().catch(failed),
  };
}

/** The namespace of the symbols for a person's files. */
const SPACE = '@MYFILES/';

/** A model of Catalytic is told every symbol when its run begins. */
const NAMED_MAX = 500;

/** A symbol for a file that is not taken yet; it is then. */
function symbolFor(path: string, taken: Set<string>): SymbolRow {
  const plain = path.replace(/[^A-Za-z0-9._-]+/gu, '_').slice(-60);
  let symbol_id = `${SPACE}${plain}`;
  for (let nth = 2; taken.has(symbol_id); nth++) symbol_id = `${SPACE}${nth}-${plain}`;
  taken.add(symbol_id);
  return { symbol_id, target_type: 'FILE', target_ref: path, default_slice_policy: 'head(20)' };
}
