import { CALL_GAS } from '../../chains/evm/index.ts'
import type { Chains } from '../../chains/index.ts'
import { BadAnswerError, JsonRpcError, NotFoundError } from '../../errors.ts'
import { SIDES } from '../../facts/primary-network.ts'
import { callBytes } from '../../lib/bytes/call-data.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { type CallContract, isRevert } from '../../services/nft-metadata/index.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/index.ts'
import type { EvmStreams } from './evm-streams.ts'

interface MetadataChains {
  networks: Chains['networks']
  pools: readonly Pick<UpstreamPool, 'name' | 'rpc'>[]
}

const CALL_MS = 15_000

/** An endpoint that seemed to be of another chain is checked again after this: an empty answer may be temporary. */
const RULED_OUT_MS = 60_000

interface Endpoint {
  pool: Pick<UpstreamPool, 'rpc'>
  path: string
}

/**
 * The first endpoint of the chain with an answer. Whatever the contract returns counts as one, even a revert; a node
 * that keeps no state or refuses the call has none.
 */
export function createContractCalls(
  chains: MetadataChains,
  streams: EvmStreams,
  now: () => number = steadyNow,
): CallContract {
  const others = new Map<bigint, { endpoint: Promise<Endpoint | undefined>; askAgainAt: number }>()
  const other = (chainId: bigint, first: Endpoint, signal: AbortSignal): Promise<Endpoint | undefined> => {
    const known = others.get(chainId)
    if (known && now() < known.askAgainAt) return known.endpoint
    const asked = { endpoint: sameChain(chains, chainId, first, signal), askAgainAt: Number.POSITIVE_INFINITY }
    others.set(chainId, asked)
    asked.endpoint.then(
      (found) => {
        if (!found) asked.askAgainAt = now() + RULED_OUT_MS
      },
      () => {
        asked.askAgainAt = now()
      },
    )
    return asked.endpoint
  }
  return async (chainId, call, signal) => {
    const params = [{ ...call, gas: CALL_GAS }, 'latest']
    const first = endpointOf(chains, (await streams()).get(chainId.toString()), chainId)
    try {
      return await askContract(first, params, signal)
    } catch (error) {
      if (isRevert(error)) throw error
      const second = await other(chainId, first, signal).catch(() => undefined)
      if (!second) throw error
      return askContract(second, params, signal)
    }
  }
}

/** Sent individually: a few contracts that answer five megabytes would make a batch answer larger than accepted. */
const ask = <T>(
  { pool, path }: Endpoint,
  method: string,
  params: unknown[],
  options: Pick<CallOptions, 'signal' | 'check' | 'doubts'>,
): Promise<T> => pool.rpc<T>(path, method, params, { ...options, deadline: Date.now() + CALL_MS, batch: false })

/** Otherwise the token would have the fault of one server, some faults for good. */
const askContract = (endpoint: Endpoint, params: unknown[], signal: AbortSignal): Promise<unknown> =>
  ask(endpoint, 'eth_call', params, { signal, check: expectBytes, doubts: mayNotBeItsOwn })

function expectBytes(said: unknown): void {
  if (callBytes(said) === undefined) throw new BadAnswerError('eth_call: the answer is no bytes')
}

/** A server that lags has no such contract yet, and others allow no calls or lack the state. */
const mayNotBeItsOwn = (said: unknown): boolean => (said instanceof JsonRpcError ? !isRevert(said) : said === '0x')

/** The C-chain is read from where it is indexed: a private network may have the public one's chain id. */
function endpointOf({ networks, pools }: MetadataChains, stream: string | undefined, chainId: bigint): Endpoint {
  for (const side of SIDES) {
    const network = networks[side]
    if (network && stream === `${side}:C`) return { pool: network.pool, path: '/ext/bc/C/rpc' }
  }
  const pool = pools.find(({ name }) => name === `eip155:${chainId}`)
  if (!pool) throw new NotFoundError(`chain ${chainId} has no upstreams`)
  return { pool, path: '' }
}

/** The upstreams configured for the chain id, if they are others and their chain has the same first block. */
async function sameChain(
  { pools }: MetadataChains,
  chainId: bigint,
  first: Endpoint,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const pool = pools.find(({ name }) => name === `eip155:${chainId}`)
  if (!pool || pool === first.pool) return undefined
  const second = { pool, path: '' }
  const [here, there] = await Promise.all(
    [first, second].map((endpoint) =>
      ask<{ hash?: unknown } | null>(endpoint, 'eth_getBlockByNumber', ['0x0', false], { signal }),
    ),
  )
  return typeof here?.hash === 'string' && here.hash === there?.hash ? second : undefined
}
