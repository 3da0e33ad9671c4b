import { FirnError } from '../../errors.ts'
import type { UtxoRecord } from '../../store/index.ts'
import type { PrimaryChain } from './primary-chain.ts'

/**
 * The X-chains of mainnet and of the testnet, by their public ids, and when their blocks began (Cortina, unix seconds).
 * A network of one's own began with blocks.
 */
const FIRST_BLOCKS: ReadonlyMap<string, bigint> = new Map([
  ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', 1_682_434_800n],
  ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm', 1_680_793_200n],
])

/** What P and C exported to X while it had no blocks was probably imported there, which the index has not seen. */
export function isOfUnknownEnd({ identity }: PrimaryChain, utxo: UtxoRecord): boolean {
  const { createdOn, consumableOn, created, consumed } = utxo
  if (consumableOn !== 'X' || createdOn === 'X' || consumed) return false
  const first = FIRST_BLOCKS.get(identity.blockchainIds.X)
  return first !== undefined && created.time < first
}

/**
 * Refuses what addresses own and did on a chain of which the index cannot know everything: what X left unspent before
 * Cortina is in no block, and a sum without it would be taken for the whole.
 */
export function requireWholeHistory({ letter, identity, chainInfo }: PrimaryChain): void {
  if (letter !== 'X' || !FIRST_BLOCKS.has(identity.blockchainIds.X)) return
  throw new FirnError(
    `addresses of the x-chain of ${chainInfo.network} are not served: outputs of before Cortina, when it had no blocks, are unknown to the index; blocks are served, and /ext and /v1/balance ask a node`,
    { code: 'INCOMPLETE_INDEX', status: 503, retryable: false, expose: true },
  )
}
