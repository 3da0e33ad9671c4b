/**
 * Readers of the balance stream as two wallets have them, written anew from what is known of their behaviour. They are
 * stricter than the event-stream standard, so what they read is what the server really may send.
 */
type Bytes = ReadableStream<Uint8Array>

/** A yielded value, JSON or not: neither wallet tells them apart. */
export type Yielded = unknown

/**
 * The extension's reader (an older generated client): events end at two LFs and nowhere else, so CR LF is never an
 * end; the rest after the last end is dropped; `data:` loses all white space behind it; several data lines are joined;
 * text that is not JSON is yielded as it is; an event without data yields nothing.
 */
export async function* readLikeExtension(body: Bytes): AsyncGenerator<Yielded> {
  let buffer = ''
  for await (const text of decoded(body)) {
    const chunks = (buffer + text).split('\n\n')
    buffer = chunks.pop() ?? ''
    for (const chunk of chunks) {
      const data = chunk.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
      if (data.length > 0) yield jsonOrText(data.join('\n'))
    }
  }
}

/**
 * The phone's reader: every line by itself, so an event must not span two; a leading `data:` is cut off; what is not
 * JSON is passed over; a last line without LF is dropped. Every line that is JSON counts as an item, even `null`.
 */
export async function* readLikePhone(body: Bytes): AsyncGenerator<Yielded> {
  let buffer = ''
  for await (const text of decoded(body)) {
    const lines = (buffer + text).split('\n')
    buffer = lines.pop() ?? ''
    for (const line of lines) {
      const trimmed = line.trim()
      if (trimmed === '') continue
      const value = parsed(trimmed.startsWith('data:') ? trimmed.slice(5).trim() : trimmed)
      if (value.ok) yield value.json
    }
  }
}

async function* decoded(body: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true })
}

function parsed(text: string): { ok: true; json: unknown } | { ok: false } {
  try {
    return { ok: true, json: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}

function jsonOrText(text: string): unknown {
  const value = parsed(text)
  return value.ok ? value.json : text
}

/** The same bytes in pieces of the given size, so that characters and events are split anywhere. */
export function inPieces(bytes: Uint8Array, size: number): Bytes {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}
