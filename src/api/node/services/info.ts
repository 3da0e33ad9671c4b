import { FirnError } from '../../../errors.ts'
import { CHAIN_LETTERS, chainOfAlias } from '../../../facts/primary-network.ts'
import { composeTxFees } from '../../../services/node-fallbacks/index.ts'
import { type LocalMethod, type LocalService, MethodError, PASS_ON, RawJson } from '../gorilla/local-service.ts'
import { composed } from './composed.ts'

export interface InfoServiceDeps {
  chains: {
    /** Blockchain ID for an alias or an ID that this server knows; case-sensitive. */
    lookup(alias: string): string | undefined
    /**
     * Whether the chain (`P`, `X`, `C` or an L1's blockchain ID) was readable at the last check; undefined = it is not
     * monitored here.
     */
    isServed(name: string): boolean | undefined
  }
}

/** Such a name is forwarded: a node knows its ID from the start, this server perhaps not yet. */
const isBuiltIn = (alias: string): boolean => chainOfAlias(alias) !== undefined

/** The node's text for an unknown chain. */
const UNKNOWN_CHAIN = /^there is no chain with alias\/ID /

/**
 * info.isBootstrapped as this server sees it: false when no node can be asked, true when the chain is served although
 * the node that was asked is still bootstrapping it or does not know it (an L1 with upstreams of its own).
 */
function isBootstrapped({ chains }: InfoServiceDeps): LocalMethod {
  return async (args, call) => {
    const chain = args.string('chain')
    if (chain === '') throw new MethodError("argument 'chain' not given")
    const known = chains.lookup(chain)
    const id = isBuiltIn(chain) ? chain : (known ?? chain)
    const primary = CHAIN_LETTERS.find((name) => name === known || chains.lookup(name) === known)
    // Health has checks of other names, too, such as `network`: what is no chain here is not looked up there.
    const served = known !== undefined && chains.isServed(primary ?? known) === true
    try {
      const answer = await call.ask(call.method, { chain: id })
      return served ? { isBootstrapped: true } : new RawJson(answer)
    } catch (error) {
      if (error instanceof MethodError) {
        if (served && UNKNOWN_CHAIN.test(error.message)) return { isBootstrapped: true }
        // The error names the chain as the caller did, not by the id of the alias.
        throw id === chain ? error : new MethodError(error.message.replaceAll(id, () => chain))
      }
      if (error instanceof FirnError && !call.signal.aborted) return { isBootstrapped: false }
      throw error
    }
  }
}

/** Only this server knows aliases created here; everything else is forwarded, including IDs that are merely listed. */
const getBlockchainID =
  ({ chains }: InfoServiceDeps): LocalMethod =>
  async (args, call) => {
    const alias = args.string('alias')
    const blockchainID = isBuiltIn(alias) ? undefined : chains.lookup(alias)
    if (blockchainID === undefined) return PASS_ON
    // An alias of X or C whose ID no node has reported yet: the letter is not an ID.
    if (isBuiltIn(blockchainID)) return new RawJson(await call.ask(call.method, { alias: blockchainID }))
    return blockchainID === alias && chains.isServed(alias) === undefined ? PASS_ON : { blockchainID }
  }

/** info.*: forwarded, except what depends on the chains this server knows and serves, and what new nodes dropped. */
export const createInfoService = (deps: InfoServiceDeps): LocalService => ({
  endpoints: ['info'],
  service: 'info',
  methods: { isBootstrapped: isBootstrapped(deps), getBlockchainID: getBlockchainID(deps) },
  fallbacks: {
    getTxFee: composed(composeTxFees),
  },
})
