import { ChainNotRunError } from '../../../errors.ts'
import { inTime } from '../../../lib/waiting/in-time.ts'
import type { NodeAnswer } from '../http/answer.ts'
import type { ChainDirectory } from './chain-directory.ts'
import type { Endpoint } from './endpoint.ts'

/** How long a 404 waits for the list of chains, milliseconds. */
const LOOK_MS = 5_000

/**
 * Passes answers on, but not that there is no such L1 while no node can say which chains the network has: a node that has
 * just been started answers 404 for all of them.
 * @throws ChainNotRunError in place of that answer
 */
export const unlessStarting =
  ({ refresh }: Pick<ChainDirectory, 'refresh'>) =>
  async ({ source, path }: Endpoint, answer: Promise<NodeAnswer>): Promise<NodeAnswer> => {
    const said = await answer
    if (said.status !== 404 || typeof source === 'string') return said
    if (await inTime(refresh(), LOOK_MS, () => false)) return said
    throw new ChainNotRunError(`${path}: no node that answers says which chains there are`)
  }
