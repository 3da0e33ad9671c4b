import { BadInputError } from '../../errors.ts'
import type { IdentityProbe } from '../../upstream/types.ts'

const chainIdIn = (answer: unknown): string | undefined =>
  typeof answer === 'string' && /^0x[0-9a-f]{1,32}$/i.test(answer) ? String(BigInt(answer)) : undefined

/** How a pool recognises servers of another chain. */
export const evmIdentity = (caip2Id: string): IdentityProbe => ({
  network: caip2Id,
  path: '',
  rpc: 'eth_chainId',
  parse: chainIdIn,
  matches: (id) => id === String(evmChainId(caip2Id)),
})

/**
 * The same for a C-chain, including its first block, which every server has: without a known id the first server that
 * tells its id decides, and of those with that id the first that tells the hash of that block.
 */
export function cChainIdentity(network: string, chainId: number | undefined): IdentityProbe {
  let expected = chainId === undefined ? undefined : String(chainId)
  let expectedGenesis: string | undefined
  return {
    network,
    path: '',
    rpc: 'eth_chainId',
    parse: chainIdIn,
    genesis: {
      path: '',
      rpc: 'eth_getBlockByNumber',
      params: ['0x0', false],
      parse(block) {
        const { hash } = (block ?? {}) as { hash?: unknown }
        return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : undefined
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

/** Chain id of an `eip155:<id>` identifier. Throws BadInputError for anything else. */
export function evmChainId(caip2Id: string): bigint {
  const id = /^eip155:([0-9]{1,32})$/.exec(caip2Id)?.[1]
  if (id === undefined) throw new BadInputError(`not an eip155 chain: ${caip2Id}`)
  return BigInt(id)
}
