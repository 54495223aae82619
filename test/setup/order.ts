import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLong } from '../../.scripts/test/long.mjs';

/**
 * Long files first, because a long file begun last runs alone at the end. Then the order of Vitest: by the time of their
 * last run, or by their size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification) => isLong(moduleId);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}
