/** For rows that scroll sideways: browsers do not scroll to a focused element that is half in sight. */
export function bringInSight({ target }: Event): void {
  if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
