import { BadAnswerError, CancelledError } from '../../errors.ts'
import type { ReadContext } from '../capabilities.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from './network.ts'

/** Time before a server that could not or would not name its genesis block is asked again. */
const RECHECK_MS = 60_000

/**
 * Makes sure once that a server is on the right network: testnet, its forks and regtest share address forms, so a wrong
 * server would answer plain zeros. `readGenesis` gives the hash of block 0, or undefined when the server cannot tell.
 *
 * Only a definite other network fails (BadAnswerError). A server that cannot tell is believed.
 */
export const createNetworkCheck = (deps: {
  network: BitcoinNetworkName
  readGenesis: (context: ReadContext) => Promise<string | undefined>
}) => {
  const expected = bitcoinNetworks[deps.network].genesisHash
  let verdict: 'unknown' | 'right' | 'wrong' = 'unknown'
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async (context: ReadContext): Promise<void> => {
    try {
      const hash = await deps.readGenesis(context)
      if (hash !== undefined) verdict = hash.toLowerCase() === expected ? 'right' : 'wrong'
      askedAt = Date.now()
    } catch (error) {
      // A reader that left says nothing about the server: the next one asks again.
      if (!context.signal.aborted && !(error instanceof CancelledError)) askedAt = Date.now()
    }
  }

  return async (context: ReadContext): Promise<void> => {
    if (verdict !== 'right' && Date.now() - askedAt >= RECHECK_MS) {
      asking ??= ask(context).finally(() => {
        asking = undefined
      })
      await asking
    }
    if (verdict === 'wrong') throw new BadAnswerError(`server is not on bitcoin ${deps.network}`)
  }
}
