import { BadAnswerError } from '../../../errors.ts'

/** Buffer size that is kept between uses; larger texts get a temporary buffer. */
const ROOM = 65_536
/** The digit 0. */
const ZERO = 0x30

/**
 * Writes RLP from the last byte to the first, so that the length of a list is known when its head is written. Takes
 * nodes' hex with 0x. The writer is reused for each text, so texts must not be interleaved.
 */
export function createRlpWriter() {
  let room = Buffer.allocUnsafe(ROOM)
  let at = room.length

  const reserve = (size: number): void => {
    if (at >= size) return
    const larger = Buffer.allocUnsafe(2 * (room.length + size))
    room.copy(larger, larger.length - (room.length - at), at)
    at += larger.length - room.length
    room = larger
  }
  const byte = (value: number): void => {
    reserve(1)
    at -= 1
    room[at] = value
  }
  const head = (base: number, size: number): void => {
    let width = 0
    if (size >= 56) for (let left = size; left > 0; left = Math.floor(left / 256), width++) byte(left % 256)
    byte(width === 0 ? base + size : base + 55 + width)
  }
  const digits = (hex: string): void => {
    const size = hex.length >> 1
    reserve(size)
    at -= size
    if (hex.length % 2 !== 0 || room.write(hex, at, 'hex') !== size)
      throw new BadAnswerError(`no bytes: 0x${hex.slice(0, 80)}`)
    if (size !== 1 || (room[at] ?? 0) >= 0x80) head(0x80, size)
  }

  return {
    /** Position counted from the end; a list that is closed extends to it. */
    mark: (): number => room.length - at,
    byte,
    /** A byte string from its hex, with 0x. */
    bytes(hex: unknown): void {
      digits(hexDigits(hex))
    },
    raw(bytes: Uint8Array): void {
      reserve(bytes.length)
      at -= bytes.length
      room.set(bytes, at)
    },
    string(bytes: Uint8Array): void {
      this.raw(bytes)
      if (bytes.length !== 1 || (bytes[0] ?? 0) >= 0x80) head(0x80, bytes.length)
    },
    /** A number from its hex, with 0x: without leading zeros, and nothing at all for 0. Some nodes write plain numbers. */
    quantity(hex: unknown): void {
      const all = Number.isSafeInteger(hex) ? Number(hex).toString(16) : hexDigits(hex)
      let from = 0
      while (all.charCodeAt(from) === ZERO) from++
      const shortest = all.slice(from)
      digits(shortest.length % 2 === 0 ? shortest : `0${shortest}`)
    },
    /** Wraps everything written since `mark` in a list. */
    list(mark: number): void {
      head(0xc0, room.length - at - mark)
    },
    /** Everything written; valid until the next write. */
    view: (): Buffer => room.subarray(at),
    clear(): void {
      if (room.length > ROOM) room = Buffer.allocUnsafe(ROOM)
      at = room.length
    },
  }
}

export type RlpWriter = ReturnType<typeof createRlpWriter>

function hexDigits(hex: unknown): string {
  if (typeof hex !== 'string' || !hex.startsWith('0x')) throw new BadAnswerError(`no hex: ${String(hex).slice(0, 80)}`)
  return hex.slice(2)
}
