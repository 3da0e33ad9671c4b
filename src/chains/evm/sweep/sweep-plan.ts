import { inChunks } from '../../../lib/in-chunks.ts'
import { BALANCE_QUERY_BYTES, MAX_OWNERS, MAX_TOKENS } from '../read/packing.ts'

/** Owners × tokens. Lower-case hex; tokens may hold `NATIVE_TOKEN`. */
export interface Rectangle {
  owners: readonly string[]
  tokens: readonly string[]
  /** Those of the tokens that are on no list; anybody can create any number of them. */
  unlisted?: ReadonlySet<string>
}

/** Splits a rectangle into calls that respect the request size and the learned number of pairs. */
export function plan({ owners, tokens }: Rectangle, pairs: number, requestBytes: number): Rectangle[] {
  const jobs: Rectangle[] = []
  const ownersPerCall = Math.min(MAX_OWNERS, pairs)
  for (const group of inChunks(owners, ownersPerCall)) {
    const room = Math.floor((requestBytes - BALANCE_QUERY_BYTES) / 20) - group.length
    const most = Math.max(1, Math.min(MAX_TOKENS, room, Math.floor(pairs / group.length)))
    // Equal parts: the slowest call decides.
    const size = Math.ceil(tokens.length / Math.ceil(tokens.length / most))
    for (const some of inChunks(tokens, size)) jobs.push({ owners: group, tokens: some })
  }
  return jobs
}

/** One rectangle for all tokens that are wanted for the same owners. */
export function rectanglesOf(
  ownersByToken: Iterable<readonly [token: string, owners: readonly string[]]>,
): Rectangle[] {
  const rectangles = new Map<string, { owners: readonly string[]; tokens: string[] }>()
  for (const [token, owners] of ownersByToken) {
    const rectangle = rectangles.get(owners.join())
    if (rectangle) rectangle.tokens.push(token)
    else rectangles.set(owners.join(), { owners, tokens: [token] })
  }
  return [...rectangles.values()]
}

/** The same pairs in at most `parts` rectangles of equally many owners. */
export function inParts({ owners, tokens }: Rectangle, parts: number): Rectangle[] {
  return inChunks(owners, Math.ceil(owners.length / parts)).map((group) => ({ owners: group, tokens }))
}

/** Two smaller jobs; none for a single pair. */
export function halves({ owners, tokens }: Rectangle): Rectangle[] {
  if (tokens.length > 1) {
    return inChunks(tokens, Math.ceil(tokens.length / 2)).map((some) => ({ owners, tokens: some }))
  }
  return owners.length > 1 ? inParts({ owners, tokens }, 2) : []
}
