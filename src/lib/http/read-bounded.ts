/**
 * The text of a body whose length somebody else decides.
 * @param tooLong the error for more than `most` bytes; the rest is not read, and the connection is closed
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the stream.
    if (size > most) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
