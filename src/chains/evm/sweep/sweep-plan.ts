import { balanceQueryBytes, maxOwners, maxTokens } from '../read/packing.ts'

/** Owners × tokens. Lower-case hex; tokens may hold `nativeToken`. */
export interface Rectangle {
  owners: readonly string[]
  tokens: readonly string[]
  /** Those of the tokens that are on no list; anybody can create any number of them. */
  unlisted?: ReadonlySet<string>
}

/** Splits a rectangle into calls that respect the request size and the learned number of pairs. */
export function plan({ owners, tokens }: Rectangle, pairs: number, requestBytes: number): Rectangle[] {
  const jobs: Rectangle[] = []
  const ownersPerCall = Math.min(maxOwners, pairs)
  for (let from = 0; from < owners.length; from += ownersPerCall) {
    const group = owners.slice(from, from + ownersPerCall)
    const room = Math.floor((requestBytes - balanceQueryBytes) / 20) - group.length
    const most = Math.max(1, Math.min(maxTokens, room, Math.floor(pairs / group.length)))
    // Equal parts: the slowest call decides.
    const size = Math.ceil(tokens.length / Math.ceil(tokens.length / most))
    for (let at = 0; at < tokens.length; at += size) jobs.push({ owners: group, tokens: tokens.slice(at, at + size) })
  }
  return jobs
}

/** The same pairs in at most `parts` rectangles of equally many owners. */
export function inParts({ owners, tokens }: Rectangle, parts: number): Rectangle[] {
  const size = Math.ceil(owners.length / parts)
  const count = Math.ceil(owners.length / size)
  return Array.from({ length: count }, (_, at) => ({ owners: owners.slice(at * size, (at + 1) * size), tokens }))
}

/** Two smaller jobs; none for a single pair. */
export function halves({ owners, tokens }: Rectangle): Rectangle[] {
  const cut = <T>(list: readonly T[]) => [
    list.slice(0, Math.ceil(list.length / 2)),
    list.slice(Math.ceil(list.length / 2)),
  ]
  if (tokens.length > 1) return cut(tokens).map((part) => ({ owners, tokens: part }))
  if (owners.length > 1) return cut(owners).map((part) => ({ owners: part, tokens }))
  return []
}
