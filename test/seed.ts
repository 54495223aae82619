import { configureGlobal } from 'fast-check';

const GIVEN: string = import.meta.env.SALLYPORT_SEED ?? '';

/**
 * The generated cases are the same in each run, so that a red test is red because of what changed. To look for what
 * nobody has seen yet, `SALLYPORT_SEED=random npm test`; what fails then prints its seed.
 */
if (GIVEN !== 'random') configureGlobal({ seed: GIVEN === '' ? 20_260 : Number(GIVEN) });
