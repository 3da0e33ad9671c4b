/** Memory that two threads see, for one message at a time. */
export interface SharedRoom {
  bytes: Buffer
  /** To be called when the other thread has done with it. */
  free(): void
}

const STEP = 1_048_576
/** A room beyond that is not kept: a message of that size comes once. */
const KEPT = 16 * STEP

/**
 * Hands out memory and takes it back for the next message. Megabytes that are made anew for each statement and wait for a
 * collection, on both sides of a copy, are a large part of what an indexing process needs.
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
