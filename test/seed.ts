import { configureGlobal } from 'fast-check';

const GIVEN: string = import.meta.env.SALLYPORT_SEED ?? '';

/**
 * The generated cases are the same in each run, so that a red test is red because of the change. `SALLYPORT_SEED=random
 * npm test` looks for new cases; a failure then prints its seed.
 */
if (GIVEN !== 'random') configureGlobal({ seed: GIVEN === '' ? 20_260 : Number(GIVEN) });
