import { auditView } from '../../texts/en/audit-view.ts';

/** The first place where two lines differ, and the text there. */
interface TamperDifference {
  readonly at: number;
  readonly was: string;
  readonly is: string;
}

export function firstDifference(was: string, is: string): TamperDifference | undefined {
  if (was === is) return undefined;
  const { end } = auditView().record;
  let at = 0;
  while (was[at] === is[at]) at += 1;
  return { at, was: was[at] ?? end, is: is[at] ?? end };
}
