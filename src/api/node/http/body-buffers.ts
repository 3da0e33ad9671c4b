/** Reusable memory for large request bodies: allocating megabytes for every request costs more than forwarding them. */
export interface BodyBuffers {
  /** A buffer of exactly `length` bytes with undefined content. */
  take(length: number): Buffer
  /** Only when nothing reads `buffer` any more; never after a request that was aborted. */
  giveBack(buffer: Buffer): void
}

/** Smaller bodies come from Node's own slabs and are left to the garbage collector. */
export const POOLED_FROM = 262_144

/** `maxBytes` = maximum of unused memory. */
export function createBodyBuffers(maxBytes: number): BodyBuffers {
  const free = new Map<number, ArrayBufferLike[]>()
  let unused = 0
  const classOf = (length: number): number => 2 ** Math.ceil(Math.log2(length))
  return {
    take: (length) => {
      const size = classOf(length)
      const memory = free.get(size)?.pop()
      if (memory) unused -= size
      return Buffer.from(memory ?? new ArrayBuffer(size), 0, length)
    },
    giveBack: ({ buffer }) => {
      const size = buffer.byteLength
      if (unused + size > maxBytes) return
      unused += size
      const list = free.get(size)
      if (list) list.push(buffer)
      else free.set(size, [buffer])
    },
  }
}
