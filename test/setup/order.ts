import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take ten times as long as most. */
const LONG =
  /\/(secret\/secret|sandbox\/(threads|workers|engines|hostile)|schema\/(laws|hostile)|capability\/authority|ledger\/tree|run\/laws|replay\/(flips|replay|hungry)|mirror\/[\w-]+|runtime\/powers|cli\/many|client\/follow|web\/page)\.[\w.]+$|\.process\.test\.ts$/;

/**
 * Long files first, because a long file begun last runs alone at the end. Then the order of Vitest: by the time of their
 * last run, or by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}
