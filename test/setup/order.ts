import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten times as long as most: a long file begun last would run alone at the end. */
const LONG =
  /\/(secret\/secret|sandbox\/(threads|workers|engines)|schema\/laws|run\/laws|replay\/(flips|replay|hungry)|mirror\/\w+|runtime\/powers|client\/follow|chaos\/chaos|schema\/hostile|web\/page)\.[\w.]+$|kills\.node\.test\.ts$/;

/** Long files first, then the order of Vitest: by the time of their last run, or by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
