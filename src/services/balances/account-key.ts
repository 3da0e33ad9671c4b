import { createHash } from 'node:crypto'
import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import type { Account } from './types.ts'

/**
 * Names what is read, not who asks: two requests with the same key share one read and one cached answer.
 * Wallets are keyed by their sorted addresses and keys, EVM addresses without regard to case.
 */
export function accountKey(networkType: NetworkType, account: Account): string {
  if (networkType === 'evm') return account.id.toLowerCase()
  if (!isWallet(account)) return account.id
  const hash = createHash('sha256')
  hash.update(account.filterOutDust ? 'dust out' : 'all')
  for (const address of [...account.addresses].sort()) hash.update(`|${address}`)
  for (const key of [...account.extendedPublicKeys].sort()) hash.update(`|${key}`)
  return hash.digest('base64url')
}

export const isWallet = (account: Account): account is WalletAccount => 'addresses' in account
