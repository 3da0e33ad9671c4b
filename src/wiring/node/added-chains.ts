import type { LoadedChains } from '../../api/node/admin/index.ts'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { encodeCb58 } from '../../lib/bytes/cb58.ts'
import type { UpstreamSpec } from '../../upstream/index.ts'

export interface AddedChainsDeps {
  /** Reads all sources of the configuration again. */
  reload(): Config
  chains: Pick<Chains, 'addFrom'>
  /** Starts reading the token lists of new chains; resolves when those available locally are in force. */
  addLists(config: Config): Promise<void>
  /** Starts serving an L1 under /ext. */
  serve(blockchainId: string, upstreams: readonly UpstreamSpec[], evmChainId: string): void
  /** Virtual machines by blockchain id, as the network lists them. */
  machines(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
}

const ID_BYTES = 32
/** The virtual machines of chains that the network does not list. */
const MACHINES: Readonly<Record<string, string>> = {
  eip155: 'subnetevm',
  bip122: 'bitcoin',
  solana: 'solana',
  avax: 'platform',
}

/** A virtual machine's id is its name, padded with zeros. */
function machineId(name: string): string {
  const bytes = Buffer.alloc(ID_BYTES)
  bytes.write(name)
  return encodeCb58(bytes)
}

const blockchainIdOf = ({ chains }: Config, id: string): string | undefined => {
  const [namespace, reference = ''] = id.split(':')
  return namespace === 'eip155' ? chains.evm[reference]?.blockchainId : undefined
}

/** `admin.loadVMs`: starts serving what the configuration names now and did not at the start. */
export function createChainLoader(deps: AddedChainsDeps): (signal: AbortSignal) => Promise<LoadedChains> {
  return async (signal) => {
    const config = deps.reload()
    // First: without its lists, wallets would take a chain's tokens for spent.
    await deps.addLists(config)
    const { added, failed } = deps.chains.addFrom(config.chains)
    const listed = added.length + failed.size === 0 ? new Map<string, string>() : await deps.machines(signal)
    const machineOf = (id: string): string => {
      const blockchainId = blockchainIdOf(config, id)
      const known = blockchainId === undefined ? undefined : listed.get(blockchainId)
      return known ?? machineId(MACHINES[id.split(':')[0] ?? ''] ?? 'evm')
    }
    const loaded: LoadedChains = { newVMs: {}, failedVMs: {} }
    for (const id of added) {
      const blockchainId = blockchainIdOf(config, id)
      const evmChainId = id.slice('eip155:'.length)
      if (blockchainId !== undefined)
        deps.serve(blockchainId, config.chains.evm[evmChainId]?.upstreams ?? [], evmChainId)
      const machine = machineOf(id)
      const names = blockchainId === undefined ? [id] : [id, blockchainId]
      loaded.newVMs[machine] = [...(loaded.newVMs[machine] ?? []), ...names]
    }
    for (const [id, { message }] of failed) {
      const machine = machineOf(id)
      const before = loaded.failedVMs[machine]
      loaded.failedVMs[machine] = `${before === undefined ? '' : `${before}; `}${id}: ${message}`
    }
    return loaded
  }
}
