import { BadInputError } from '../../../errors.ts'
import { nextTurn } from '../../../lib/waiting/next-turn.ts'
import type { WalletAccount } from '../../capabilities.ts'
import type { ParsedWallet } from './bundles.ts'
import { ownAddresses } from './own-address.ts'

/** After this many addresses, over all wallets, other work gets a turn. */
const ADDRESSES_PER_TURN = 4_000

export interface ParsedWallets {
  wallets: ParsedWallet[]
  /** Wallets that cannot be served as given, by id. */
  failures: Map<string, Error>
}

/** Parses the addresses of all wallets. One bad address fails its wallet: the sum without it would be too small. */
export async function parseWallets(
  accounts: readonly WalletAccount[],
  hrp: string,
  takesKeys: boolean,
): Promise<ParsedWallets> {
  const wallets: ParsedWallet[] = []
  const failures = new Map<string, Error>()
  let sinceTurn = 0
  for (const account of accounts) {
    sinceTurn += account.addresses.length
    if (sinceTurn > ADDRESSES_PER_TURN) {
      sinceTurn = 0
      await nextTurn()
    }
    const { id, filterOutDust } = account
    try {
      if (!takesKeys && account.extendedPublicKeys.length > 0) {
        throw new BadInputError('addresses of this chain cannot be derived from an extended public key')
      }
      const addresses = await ownAddresses(account.addresses, hrp)
      wallets.push({ id, filterOutDust, addresses, extendedPublicKeys: [...new Set(account.extendedPublicKeys)] })
    } catch (error) {
      failures.set(id, error as Error)
    }
  }
  return { wallets, failures }
}
