import type { IdentityProbe } from '../../upstream/types.ts'

/**
 * What the nodes of a network have to say of themselves. Networks of one's own often share a prefix, and even the ID, so a
 * node of another one answers plain zeros. Without a configured ID the first that tells its own decides, and of those with
 * that ID the first that tells the first block of P, which names the genesis; the others have to agree.
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
