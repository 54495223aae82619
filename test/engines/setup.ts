import { beforeEach } from 'vitest';
import { TESTS } from './differences.ts';

/** A test that is named as different has to fail on the second engine. */
beforeEach(({ task }) => {
  if (Object.hasOwn(TESTS, task.name)) Object.assign(task, { fails: true });
});
