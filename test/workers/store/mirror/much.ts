import { encodeText } from '../../../../core/index.ts';
import type { ContentSource } from '../../../../workers/api.ts';

/** Five megabytes, the same each time; a line break of another kind makes other text of some. */
export function muchContent(): readonly ContentSource[] {
  const words = 'What the gate is for. '.repeat(4_000);
  return Array.from({ length: 60 }, (_, nth) => {
    return { path: `${nth}.md`, bytes: encodeText(`# ${nth}${nth % 9 === 0 ? '\r\n' : '\n'}${words}`) };
  });
}
