import { hash } from 'node:crypto'
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

/**
 * An account is asked for again and again while its request is polled, and a wallet by several chains: one key for each
 * of them.
 */
const made = new WeakMap<Account, AccountKey[]>()

/** Of up to so many addresses and keys the texts themselves are the name: hashing costs more than it saves. */
const SPELT_OUT = 4
/** More than so many are named in the order given: wallets do not shuffle, and sorting 250,000 would hold up others. */
const SORTED = 64

/** Wallets are named by their addresses and keys, EVM addresses without regard to case. */
export function accountKey(caip2Id: string, networkType: NetworkType, account: Account): AccountKey {
  const before = made.get(account)
  for (const key of before ?? []) if (key.caip2Id === caip2Id) return key
  const name = (isWallet(account) && before?.[0]?.name) || nameOf(networkType, account)
  const after = { name, key: `${caip2Id}|${name}`, caip2Id }
  if (before) before.push(after)
  else made.set(account, [after])
  return after
}

function nameOf(networkType: NetworkType, account: Account): string {
  if (networkType === 'evm') return account.id.toLowerCase()
  if (!isWallet(account)) return account.id
  const { addresses, extendedPublicKeys: keys } = account
  const dust = account.filterOutDust ? 'dust out' : 'all'
  const sorted = addresses.length + keys.length <= SORTED
  const text = sorted ? [...[...addresses].sort(), ...[...keys].sort()].join('|') : [...addresses, ...keys].join('|')
  const name = `${dust}|${text}`
  return addresses.length + keys.length <= SPELT_OUT ? name : hash('sha256', name, 'base64url')
}

export const isWallet = (account: Account): account is WalletAccount => 'addresses' in account
