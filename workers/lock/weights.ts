/**
 * Pattern of the path of the small model's weights in a build, whose name has a hash of their bytes: `assets/` and, for
 * example, `weights-Bx2kQ81a.bin`. The weights are a package of their own, so a host may lack them.
 */
export const WEIGHTS: string = 'assets/weights-[\\w-]{8}\\.bin';
