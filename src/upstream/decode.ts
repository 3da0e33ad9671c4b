import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'

export type Decoded = { ok: true; body: Buffer } | { ok: false; tooLarge: boolean; reason: string }

const DECODERS: Record<string, typeof gunzip> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress as typeof gunzip,
}

/** Encodings that `decodeBody` understands, as an accept-encoding header. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/**
 * Undoes one content-encoding. Inflating stops as soon as `maxBytes` are exceeded, so that a small body cannot fill
 * the memory. `done` is called synchronously when there is nothing to undo.
 */
export const decodeBody = (
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
  done: (decoded: Decoded) => void,
): void => {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) {
    done({ ok: true, body })
    return
  }
  const decoder = DECODERS[encoding.trim().toLowerCase()]
  if (!decoder) {
    done({ ok: false, tooLarge: false, reason: 'unknown content encoding' })
    return
  }
  const options: ZlibOptions = { maxOutputLength: maxBytes }
  decoder(body, options, (error, result) => {
    if (!error) done({ ok: true, body: result })
    else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      done({ ok: false, tooLarge: true, reason: `answer above ${maxBytes} bytes` })
    else done({ ok: false, tooLarge: false, reason: 'broken content encoding' })
  })
}
