import type { Logger } from 'pino'
import type { NetworkIdentity } from '../../api/data/primary/chain.ts'
import type { NetworkFacts } from '../../chains/avalanche/index.ts'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { SIDES, type Side } from '../../facts/primary-network.ts'
import { hrpOfNetwork } from '../../lib/bytes/bech32-address.ts'
import { EMPTY_ID, idFromCb58, idToCb58 } from '../../lib/bytes/ids.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { differenceOf, type IndexedNetwork, type IndexedNetworks, OtherNetworkError } from '../../store/index.ts'

/** A database that is opening or unavailable must not keep the server from starting; milliseconds. */
const OPEN_MS = 3_000
/** Minimum interval between background reads of the database. */
const LOOK_UP_MS = 1_000

type Setting = NonNullable<Config['chains']['avalanche'][Side]>

/** The networks that the index is of, without asking a node again if one was asked before. */
export interface IndexIdentities {
  /**
   * Undefined when the network is not configured. For a network that was never indexed, the nodes are asked.
   * @throws OtherNetworkError when nodes or configuration name another network than the index is of
   */
  of(side: Side): Promise<NetworkIdentity | undefined>
  /** Rejects like `of`, but asks no node. */
  check(side: Side): Promise<void>
  /** True for a stream that must be treated as missing: it is of another network. */
  isForeign(stream: string): Promise<boolean>
  /** Reads the address prefixes of private networks, so that the first request may use them; waits 3 s at most. */
  open(): Promise<void>
  /** What is known now. Missing facts are looked up in the background, for the next call. */
  known(side: Side): NetworkIdentity | undefined
}

interface Kept {
  ids: IndexedNetwork
  identity: NetworkIdentity
  /** The facts it was last compared with. */
  same?: NetworkFacts | undefined
}

/** @param indexed what the database knows; left out if nothing is indexed */
export function createIndexIdentities(
  config: Config,
  networks: Chains['networks'],
  indexed: IndexedNetworks | undefined,
  logger: Logger,
): IndexIdentities {
  const found = new Map<Side, Kept>()
  /** Logged once. */
  const refused = new Set<Side>()
  const lookedUpAt = new Map<Side, number>()
  /** It never changes, so it is read until it is known. */
  const find = async (side: Side): Promise<Kept | undefined> => {
    const known = found.get(side)
    if (known) return known
    const ids = await indexed?.find(side)
    if (!ids) return undefined
    const kept = { ids, identity: identityOf(ids, config.chains.avalanche[side]?.hrp) }
    found.set(side, kept)
    return kept
  }
  const expectSame = (side: Side, kept: Kept): void => {
    const facts = networks[side]?.known()
    if (facts && kept.same === facts) return
    const difference = differenceOf(kept.ids, facts ? idsOf(facts) : configured(config.chains.avalanche[side]))
    if (difference !== undefined) {
      const error = new OtherNetworkError(side, difference)
      if (!refused.has(side)) logger.error(error.message)
      refused.add(side)
      throw error
    }
    refused.delete(side)
    kept.same = facts
  }
  const check = async (side: Side): Promise<Kept | undefined> => {
    const kept = await find(side)
    if (kept) expectSame(side, kept)
    return kept
  }
  return {
    async of(side) {
      const network = networks[side]
      return network && ((await check(side))?.identity ?? network.facts())
    },
    async check(side) {
      if (networks[side]) await check(side)
    },
    async isForeign(stream) {
      const side = SIDES.find((one) => stream.startsWith(`${one}:`))
      if (side === undefined) return false
      return check(side).then(
        () => false,
        (error: unknown) => {
          if (error instanceof OtherNetworkError) return true
          throw error
        },
      )
    },
    async open() {
      const own = SIDES.filter((side) => networks[side] && config.chains.avalanche[side]?.hrp === undefined)
      const read = Promise.all(own.map(find)).catch(() => undefined)
      await inTime(read, OPEN_MS, () => undefined)
    },
    known(side) {
      const known = networks[side]?.known() ?? found.get(side)?.identity
      if (known || !networks[side] || steadyNow() - (lookedUpAt.get(side) ?? 0) < LOOK_UP_MS) return known
      lookedUpAt.set(side, steadyNow())
      find(side).catch(() => undefined)
      return undefined
    },
  }
}

const identityOf = (ids: IndexedNetwork, hrp: string | undefined): NetworkIdentity => ({
  hrp: hrp ?? hrpOfNetwork(ids.networkId),
  blockchainIds: { P: idToCb58(EMPTY_ID), X: idToCb58(ids.xChainId), C: idToCb58(ids.cChainId) },
  avaxAssetId: idToCb58(ids.avaxAssetId),
})

const idsOf = ({ networkId, blockchainIds, avaxAssetHex }: NetworkFacts): IndexedNetwork => ({
  networkId,
  xChainId: idFromCb58(blockchainIds.X),
  cChainId: idFromCb58(blockchainIds.C),
  avaxAssetId: avaxAssetHex,
})

/** The facts that the configuration states. */
function configured(setting: Setting | undefined): Partial<IndexedNetwork> {
  const { networkId, xBlockchainId, cBlockchainId, avaxAssetId } = setting ?? {}
  return {
    ...(networkId === undefined ? {} : { networkId }),
    ...(xBlockchainId === undefined ? {} : { xChainId: idFromCb58(xBlockchainId) }),
    ...(cBlockchainId === undefined ? {} : { cChainId: idFromCb58(cBlockchainId) }),
    ...(avaxAssetId === undefined ? {} : { avaxAssetId: idFromCb58(avaxAssetId) }),
  }
}
