/** Arguments of up to so many UTF-16 units are read at a glance. */
const GLANCE_MAX = 600;

/** Whether a yes waits until a person has had the end of these arguments in sight. */
export function isLong(args: string): boolean {
  return args.length > GLANCE_MAX;
}
