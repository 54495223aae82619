import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { CapabilityDefinition, Content, ModelRequest, Runtime } from '../../../workers/api.ts';
import { type Lab, type LabOptions, type OpenRuntime, openLab } from '../lab/lab.ts';
import { storedText } from '../parts/local-storage.ts';
import type { Lesson, Paper } from './lessons/lesson.ts';

/** The lab of a lesson: it opens with the first action that needs it, and opens anew where its run has ended. */
export interface LessonLab {
  readonly lab: ReadonlySignal<Lab | undefined>;
  /** Index of the chosen grants. */
  readonly choice: Signal<number>;
  readonly source: Signal<string>;
  /** The lesson's paper has been changed. */
  readonly rewritten: ReadonlySignal<boolean>;
  ready(): Promise<Lab>;
  /** The newest request of the run to its model. */
  request(): Promise<ModelRequest>;
  /** Closes the lab; the next `ready` opens another. */
  drop(): void;
  /** Changes the paper: the content is indexed again, and the run goes on. */
  rewrite(): Promise<void>;
  /** Closes the lab for good, one that is still opening too. */
  close(): void;
}

export interface LessonLabFacts {
  readonly open: OpenRuntime;
  readonly catalogue: readonly CapabilityDefinition[];
  /** The scenario's papers, by path. */
  readonly files: { readonly [path: string]: string };
}

export function openLessonLab(lesson: Lesson, { open, catalogue, files }: LessonLabFacts): LessonLab {
  const lab = signal<Lab | undefined>(undefined);
  const hearing = hearRequests(open);
  const choice = signal(0);
  const source = storedText(`sallyport.lesson.${lesson.number}.source`, lesson.own?.[0]?.source ?? '');
  const rewritten = signal(false);
  const { paper } = lesson;
  const paperText = files[paper?.path ?? ''] ?? '';
  let closed = false;

  const drop = (): void => {
    const old = lab.peek();
    lab.value = undefined;
    rewritten.value = false;
    void old?.close().catch(() => undefined);
  };

  const options = (): LabOptions => ({
    capabilities: capabilitiesOf(lesson, catalogue, source.peek()),
    grants: lesson.choices?.[choice.peek()]?.grants ?? lesson.grants,
    limits: { steps: 1000, refusalsInRow: 1000 },
    dialect: lesson.dialect ?? 'xct',
    task: lesson.task,
    ...(lesson.budgets && { budgets: lesson.budgets }),
    ...(paper && { prepare: (runtime: Runtime) => addPaper(runtime.content, paper, paperText) }),
  });

  const ready = async (): Promise<Lab> => {
    if (lab.peek()?.view.peek().end !== undefined) drop();
    lab.value ??= await openLab(hearing.open, options());
    if (closed) drop();
    return lab.value ?? ready();
  };

  return {
    lab,
    request: hearing.request,
    choice,
    source,
    rewritten,
    ready,
    drop,
    rewrite: async () => {
      if (paper === undefined) return;
      const own = await ready();
      rewritten.value = true;
      await own.runtime.content.add([sourceOf(paper.path, paperText.replace(paper.change.from, paper.change.to))]);
    },
    close: () => {
      closed = true;
      drop();
    },
  };
}

/** The named capabilities of the catalogue and the lesson's own, with the learner's source where the lesson asks for it. */
function capabilitiesOf(
  lesson: Lesson,
  catalogue: readonly CapabilityDefinition[],
  source: string,
): readonly CapabilityDefinition[] {
  const named = catalogue.filter(({ name }) => lesson.capabilities.includes(name));
  const own = (lesson.own ?? []).map((each, i) => (i === 0 && lesson.writes === true ? { ...each, source } : each));
  return [...named, ...own];
}

const sourceOf = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });

/** The paper as content, and its symbols: each for the file, or for a section by its id, which is of this very text. */
async function addPaper(content: Content, { path, symbols }: Paper, text: string): Promise<void> {
  await content.add([sourceOf(path, text)]);
  const sections = await content.sections(path);
  for (const [symbol_id, headings] of Object.entries(symbols)) {
    const id = sections.find(({ heading_path }) => heading_path.join('\n') === headings.join('\n'))?.section_id;
    const target =
      id === undefined
        ? { target_type: 'FILE' as const, target_ref: path }
        : { target_type: 'SECTION' as const, target_ref: id };
    await content.define({ symbol_id, ...target, default_slice_policy: 'head(3)' });
  }
}

/** Opens runtimes, and hears what their runs ask their models. */
function hearRequests(open: OpenRuntime): {
  readonly open: OpenRuntime;
  /** The newest request; waits for the first. */
  request(): Promise<ModelRequest>;
} {
  let newest: ModelRequest | undefined;
  let tell: ((request: ModelRequest) => void)[] = [];
  const hear = (request: ModelRequest): void => {
    newest = request;
    for (const each of tell.splice(0)) each(request);
  };
  return {
    request: () => (newest ? Promise.resolve(newest) : new Promise((resolve) => (tell = [...tell, resolve]))),
    open: async (options) => {
      newest = undefined;
      const runtime = await open(options);
      return {
        ...runtime,
        start: ({ model, ...rest }) =>
          runtime.start({
            ...rest,
            model: { ...model, propose: (request, io) => (hear(request), model.propose(request, io)) },
          }),
      };
    },
  };
}
