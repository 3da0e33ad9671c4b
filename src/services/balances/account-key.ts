import { hash } from 'node:crypto'
import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import type { Account } from './types.ts'

/** Identifies what is read, not who asks: two requests with the same key share one read and one cached answer. */
export interface AccountKey {
  /** Unique among the accounts of its chain. */
  name: string
  /** Unique among all accounts. */
  key: string
  caip2Id: string
}

/** Every poll of a request has the same account objects, and a wallet is read on several chains: one key per chain. */
const made = new WeakMap<Account, AccountKey[]>()

/** Up to this many addresses and keys, their texts are the name: hashing costs more than it saves. */
const SPELT_OUT = 4
/** More than this many are not sorted: wallets do not shuffle, and sorting 250,000 would block other requests. */
const SORTED = 64

/** Wallets are identified by their addresses and keys, EVM addresses case-insensitively. */
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
