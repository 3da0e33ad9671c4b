import { createHash } from 'node:crypto'
import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import type { Account } from './types.ts'

/** Names what is read, not who asks: two requests with the same key share one read and one cached answer. */
export interface AccountKey {
  /** Among the accounts of its chain. */
  name: string
  /** Among all accounts. */
  key: string
  caip2Id: string
}

/** An account is planned for one chain and asked for again and again while its request is polled. */
const made = new WeakMap<Account, AccountKey>()

/** Of up to so many addresses and keys the texts themselves are the name: hashing costs more than it saves. */
const SPELT_OUT = 4

/** Wallets are named by their sorted addresses and keys, EVM addresses without regard to case. */
export function accountKey(caip2Id: string, networkType: NetworkType, account: Account): AccountKey {
  const before = made.get(account)
  if (before?.caip2Id === caip2Id) return before
  const name = nameOf(networkType, account)
  const after = { name, key: `${caip2Id}|${name}`, caip2Id }
  made.set(account, after)
  return after
}

function nameOf(networkType: NetworkType, account: Account): string {
  if (networkType === 'evm') return account.id.toLowerCase()
  if (!isWallet(account)) return account.id
  const parts = [...[...account.addresses].sort(), ...[...account.extendedPublicKeys].sort()]
  const dust = account.filterOutDust ? 'dust out' : 'all'
  if (parts.length <= SPELT_OUT) return `${dust}|${parts.join('|')}`
  const hash = createHash('sha256').update(dust)
  for (const part of parts) hash.update(`|${part}`)
  return hash.digest('base64url')
}

export const isWallet = (account: Account): account is WalletAccount => 'addresses' in account
