import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export type Decoded = { ok: true; body: Buffer } | { ok: false; tooLarge: boolean; reason: string }

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Encodings that `decodeBody` understands, as an accept-encoding header. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/**
 * Undoes one content-encoding. Inflating stops as soon as `maxBytes` are exceeded, so that a small body cannot fill
 * the memory. `done` is called synchronously when there is nothing to decode.
 *
 * @param onBytes called with the length of each part; if it returns false, decoding stops and `done` is not called
 */
export const decodeBody = (
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
  onBytes: (bytes: number) => boolean,
  done: (decoded: Decoded) => void,
): void => {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) {
    done({ ok: true, body })
    return
  }
  const decoder = DECODERS[encoding.trim().toLowerCase()]?.()
  if (!decoder) {
    done({ ok: false, tooLarge: false, reason: 'unknown content encoding' })
    return
  }
  const parts: Buffer[] = []
  let bytes = 0
  decoder.on('data', (part: Buffer) => {
    bytes += part.length
    parts.push(part)
    const isTooLarge = bytes > maxBytes
    if (!isTooLarge && onBytes(part.length)) return
    decoder.destroy()
    if (isTooLarge) done({ ok: false, tooLarge: true, reason: `answer above ${maxBytes} bytes` })
  })
  decoder.once('end', () => done({ ok: true, body: Buffer.concat(parts, bytes) }))
  decoder.once('error', () => done({ ok: false, tooLarge: false, reason: 'broken content encoding' }))
  decoder.end(body)
}
