import { encodeText } from '../../../../core/index.ts';
import type { ContentSource } from '../../../../workers/api.ts';

/** The same five megabytes at each call. Some files have a CRLF line end, which normalization changes. */
export function muchContent(): readonly ContentSource[] {
  const words = 'What the gate is for. '.repeat(4_000);
  return Array.from({ length: 60 }, (_, nth) => {
    return { path: `${nth}.md`, bytes: encodeText(`# ${nth}${nth % 9 === 0 ? '\r\n' : '\n'}${words}`) };
  });
}
