/** Memory shared by two threads, for one message at a time. */
export interface SharedRoom {
  bytes: Buffer
  /** Call this when the other thread has finished with it. */
  free(): void
}

const STEP = 1_048_576
/** Larger memory is not kept: such a message is rare. */
const KEPT = 16 * STEP

/**
 * Hands out memory and reuses it for the next message. Allocating megabytes for each statement, on both sides of a
 * copy, would be a large part of what an indexing process needs until they are collected.
 */
export function createSharedRooms(): (length: number) => SharedRoom {
  let spare: Buffer | undefined
  return (length) => {
    const fits = spare !== undefined && spare.length >= length
    const bytes = fits && spare ? spare : Buffer.from(new SharedArrayBuffer(Math.ceil(length / STEP) * STEP))
    if (fits) spare = undefined
    return {
      bytes,
      free: () => {
        if (bytes.length <= KEPT && bytes.length >= (spare?.length ?? 0)) spare = bytes
      },
    }
  }
}
