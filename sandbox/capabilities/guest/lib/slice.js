/** The spelling of slices. `link.ts` puts the one of the content substrate in this module's place. */
export const SLICE_PATTERN = '';
