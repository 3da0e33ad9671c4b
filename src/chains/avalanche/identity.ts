import type { IdentityProbe } from '../../upstream/types.ts'

/**
 * Identity of the nodes of a network. Private networks often share a prefix, and even the ID, so a node of another
 * network would answer plain zeros. Without a configured ID the first node that tells its ID decides. Among the nodes
 * with that ID, the first that tells P's first block, which names the genesis, decides; the others have to agree.
 */
export function avalancheIdentity(name: string, networkId: number | undefined): IdentityProbe {
  let expected = networkId === undefined ? undefined : String(networkId)
  let expectedGenesis: string | undefined
  return {
    network: name,
    path: '/ext/info',
    rpc: 'info.getNetworkID',
    parse(answer) {
      const { networkID } = (answer ?? {}) as { networkID?: unknown }
      return /^[0-9]{1,10}$/.test(String(networkID)) ? String(networkID) : undefined
    },
    genesis: {
      path: '/ext/bc/P',
      rpc: 'platform.getBlockByHeight',
      params: { height: '0', encoding: 'hex' },
      parse(answer) {
        const { block } = (answer ?? {}) as { block?: unknown }
        return typeof block === 'string' && BLOCK.test(block) ? block : undefined
      },
    },
    matches(id, genesis) {
      expected ??= id
      if (id !== expected || genesis === undefined) return id === expected
      expectedGenesis ??= genesis
      return genesis === expectedGenesis
    },
  }
}

/** The block of height 0 holds hardly more than the hash of the genesis. */
const BLOCK = /^0x[0-9a-f]{64,2000}$/i
