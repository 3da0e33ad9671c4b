import { ChainNotRunError, UpstreamUnavailableError } from '../../../errors.ts'
import { inTime } from '../../../lib/waiting/in-time.ts'
import type { EvmApi } from '../evm/endpoint.ts'
import { JSON_EVM, type NodeAnswer } from '../http/answer.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ChainDirectory } from './chain-directory.ts'
import { chainEndpoint } from './endpoint.ts'

/** How long a 404 waits for the list of chains, and for the chain's `rpc`, milliseconds. */
const LOOK_MS = 5_000
/** Not answered from memory, as its id would be. */
const WHETHER_THERE = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}')

/**
 * Why an L1's `rpc` cannot be answered, if it cannot. It is asked most, so it is known for longest which nodes run the
 * chain; a node has all of a chain's endpoints or none, until it has started the chain.
 */
async function troubleOf(
  evm: Pick<EvmApi, 'answer'>,
  blockchainId: string,
  signal: AbortSignal,
): Promise<UpstreamUnavailableError | undefined> {
  const endpoint = chainEndpoint(blockchainId, 'rpc')
  if (!endpoint) return undefined
  const asked = evm.answer({ endpoint, body: WHETHER_THERE, contentType: JSON_EVM, signal }).then(
    () => undefined,
    (error: unknown) => (error instanceof UpstreamUnavailableError ? error : undefined),
  )
  return inTime(asked, LOOK_MS, () => undefined, signal)
}

/**
 * Passes answers on, but not that there is no such L1 while no node can say which chains the network has: a node that has
 * just been started answers 404 for all of them. Nor that an L1 lacks an endpoint while nodes that ran it are away.
 * @throws UpstreamUnavailableError in place of that answer
 */
export const unlessStarting =
  ({ refresh }: Pick<ChainDirectory, 'refresh'>, evm: Pick<EvmApi, 'answer'>) =>
  async (
    { endpoint: { source, path }, signal }: Pick<Exchange, 'endpoint' | 'signal'>,
    answer: Promise<NodeAnswer>,
  ): Promise<NodeAnswer> => {
    const said = await answer
    if (said.status !== 404 || typeof source === 'string') return said
    if (!(await inTime(refresh(), LOOK_MS, () => false)))
      throw new ChainNotRunError(`${path}: no node that answers says which chains there are`)
    const trouble = source.extension === 'rpc' ? undefined : await troubleOf(evm, source.blockchainId, signal())
    if (trouble) throw trouble
    return said
  }
