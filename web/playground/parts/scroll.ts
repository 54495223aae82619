/** For rows that scroll sideways: browsers leave what is half in sight where it is, though it has the focus. */
export function bringInSight({ target }: Event): void {
  if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
