import type { IdentityProbe } from '../../upstream/types.ts'

/**
 * What the nodes of a network have to say of themselves. Networks of one's own often share a prefix, so a node of
 * another one answers plain zeros. Without a configured ID the first that tells its own decides, and the others have to
 * agree.
 */
export function avalancheIdentity(name: string, networkId: number | undefined): IdentityProbe {
  let expected = networkId === undefined ? undefined : String(networkId)
  return {
    network: name,
    path: '/ext/info',
    rpc: 'info.getNetworkID',
    parse(answer) {
      const { networkID } = (answer ?? {}) as { networkID?: unknown }
      return /^[0-9]{1,10}$/.test(String(networkID)) ? String(networkID) : undefined
    },
    matches(id) {
      expected ??= id
      return id === expected
    },
  }
}
