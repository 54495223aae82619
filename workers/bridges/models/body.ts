/**
 * The beginning of a stranger's answer as text: a server may send without end, and a small body may unpack to a large
 * text.
 */
export async function textWithin({ body }: Response, bytesMax: number): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (let left = bytesMax; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return text;
}
