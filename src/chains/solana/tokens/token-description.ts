import type { KnownToken, SolanaTokenAmount } from '../../capabilities.ts'
import type { Holding, Owner } from '../holdings.ts'
import { createAssociatedTokenAddresses } from './associated-token.ts'
import type { MintFacts } from './mint-facts.ts'

/** A token without any name still needs one that is not empty and distinguishes it. */
const shortMint = (mint: string): string => `${mint.slice(0, 4)}…${mint.slice(-4)}`

/** Converts a holding for the API: a list's name goes before the chain's, the chain's decimals before a list's. */
export const createTokenDescriber = (deps: { caip2Id: string; addressEntries: number }) => {
  const associatedAddress = createAssociatedTokenAddresses(deps.addressEntries)

  return (holding: Holding, owner: Owner, facts: MintFacts, listed: KnownToken | undefined): SolanaTokenAmount => {
    const { mint, mintBytes, program, amount, accounts } = holding
    return {
      address: mint,
      name: listed?.name || facts.text?.name || shortMint(mint),
      symbol: listed?.symbol || facts.text?.symbol || shortMint(mint),
      // A wrong list would move the decimal point.
      decimals: facts.decimals,
      balance: amount,
      ...(listed?.logoUri === undefined ? {} : { logoUri: listed.logoUri }),
      ...(facts.uiMultiplier === undefined ? {} : { uiMultiplier: facts.uiMultiplier }),
      internalId: listed?.internalId ?? `${deps.caip2Id}-${mint.toLowerCase()}`,
      associatedTokenAddress: associatedAddress(owner, { address: mint, bytes: mintBytes, program }, accounts),
    }
  }
}
