import { UpstreamUnavailableError } from '../../../errors.ts'

/** One try at a read that may take several calls. */
export interface Attempt<T> {
  value: T
  /** False: every part came from a single call, so each part is one state of the chain and nothing is to be compared. */
  manyCalls: boolean
}

const MAX_ATTEMPTS = 4

/**
 * Repeats a read until the tip was the same before and after it: a UTXO that moves between two pages would be counted
 * twice or not at all. A height seen after one attempt serves as the height before the next, so an unexpected second
 * page costs one more reading and no more.
 *
 * Reads of single calls are taken as they come. Their calls run at the same moment against the same node; comparing
 * heights would double the time of every ordinary answer for a window of milliseconds that the next poll closes.
 * @param expectMany the read is known to take several calls: asks for the height first.
 * @throws UpstreamUnavailableError when the tip moved under every attempt.
 */
export async function readSettled<T>(
  heights: () => Promise<string>,
  expectMany: boolean,
  read: () => Promise<Attempt<T>>,
): Promise<T> {
  let before = expectMany ? await heights() : undefined
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { value, manyCalls } = await read()
    if (!manyCalls) return value
    const after = await heights()
    if (after === before) return value
    before = after
  }
  throw new UpstreamUnavailableError(`the chain moved during each of ${MAX_ATTEMPTS} readings`)
}
