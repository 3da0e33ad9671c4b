import { NotFoundError } from '../../errors.ts'
import { chainNumber } from '../codes.ts'
import type { Db } from '../database.ts'
import type { ChainLetter } from '../rows/index.ts'

/** P, X or C of a network, by the network's name in the configuration. */
export interface ChainName {
  network: string
  letter: ChainLetter
}

export interface ChainNumbers {
  /** @throws NotFoundError when nothing of the network was ever indexed */
  network(name: string): Promise<number>
  /** @throws NotFoundError when nothing of the network was ever indexed */
  chain(name: ChainName): Promise<number>
  /**
   * Number of the EVM stream of a chain id; of several, the one that is ahead. @throws NotFoundError when the chain was
   * never indexed
   */
  evm(chainId: bigint): Promise<number>
  /** Undefined for a stream that was never registered. */
  stream(name: string): Promise<NumberedStream | undefined>
  /** Call this with all streams whenever they are read: forgets cached numbers if one has changed, came or went. */
  heed(streams: readonly { name: string; id: number }[]): void
}

interface NumberedStream {
  id: number
  testnet: boolean
}

/**
 * Networks and streams keep their numbers, so each is read once. A database that replaces another (rebuilt, or a copy
 * without the last ranges) has different numbers, and a stream that is begun may be ahead of another of its chain.
 * Processes read the streams' progress before they answer from the index, and so notice.
 */
export function createChainNumbers(db: Db): ChainNumbers {
  const networks = new Map<string, number>()
  const streams = new Map<bigint, number>()
  const named = new Map<string, NumberedStream>()
  let standing: ReadonlyMap<string, number> | undefined
  let forgotten = 0
  /** An answer requested before everything was forgotten may be from the previous database. */
  const keep = async <T>(asking: Promise<T>, remember: (told: T) => void): Promise<T> => {
    const before = forgotten
    const told = await asking
    if (forgotten === before) remember(told)
    return told
  }
  const network = async (name: string): Promise<number> => {
    const known = networks.get(name)
    if (known !== undefined) return known
    const rows = await keep(db.selectFrom('network').select(['id', 'name']).execute(), (all) => {
      for (const row of all) networks.set(row.name, row.id)
    })
    return found(rows.find((row) => row.name === name)?.id, `network ${name}`)
  }
  return {
    network,
    chain: async ({ network: name, letter }) => chainNumber(await network(name), letter),
    async evm(chainId) {
      const known = streams.get(chainId)
      if (known !== undefined) return known
      const asking = db
        .selectFrom('stream')
        .select('id')
        .where('evm_chain_id', '=', chainId)
        .orderBy('current_at_ms', 'desc')
        .orderBy('id')
        .execute()
      const [current] = await keep(asking, ([one, ...others]) => {
        // A stream of another configuration may remain without progress; which one that is may change while this
        // process lives.
        if (one && others.length === 0) streams.set(chainId, one.id)
      })
      return found(current?.id, `chain ${chainId}`)
    },
    async stream(name) {
      const known = named.get(name)
      if (known) return known
      const rows = await keep(db.selectFrom('stream').select(['id', 'name', 'testnet']).execute(), (all) => {
        for (const row of all) named.set(row.name, row)
      })
      return rows.find((row) => row.name === name)
    },
    heed(all) {
      const now = new Map(all.map(({ name, id }) => [name, id]))
      const isSame = standing?.size === now.size && [...standing].every(([name, id]) => now.get(name) === id)
      if (!isSame) {
        for (const known of [networks, streams, named]) known.clear()
        forgotten += 1
      }
      standing = now
    },
  }
}

function found(number: number | undefined, what: string): number {
  if (number === undefined) throw new NotFoundError(`${what} is not indexed here`)
  return number
}
