import type { Judged } from './evaluate.ts';

/** Each development task that went wrong, with the model's proposals. */
export function missesOf(judged: readonly Judged[]): readonly string[] {
  return judged
    .filter(({ verdict }) => !verdict.whole)
    .flatMap(({ task, proposals }) => [`\n${task.task}`, ...proposals.map((proposal) => `    ${proposal}`)]);
}

/** How many tasks of each kind and tools went wrong, without the wording of any task: for the held-out list. */
export function missCountsOf(judged: readonly Judged[]): readonly string[] {
  const counts = new Map<string, { wrong: number; of: number }>();
  for (const { task, verdict } of judged) {
    const tools = task.calls.map(([tool]) => tool).join(', ') || 'no tool';
    const name = `${task.kind ?? 'one'} | ${tools}`;
    const { wrong, of } = counts.get(name) ?? { wrong: 0, of: 0 };
    counts.set(name, { wrong: wrong + Number(!verdict.whole), of: of + 1 });
  }
  const rows = [...counts]
    .filter(([, { wrong }]) => wrong > 0)
    .map(([name, { wrong, of }]) => `| ${name} | ${wrong} of ${of} |`);
  return ['| kind | tools | went wrong |', '|---|---|---|', ...rows];
}
