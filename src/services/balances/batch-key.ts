import { hash } from 'node:crypto'
import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import type { Account, ChainQuery } from './types.ts'

/** A wallet is read on several chains, and every poll of a request has the same object: it is named once. */
const names = new WeakMap<WalletAccount, string>()

/** Up to this many addresses and keys, their texts are the name: hashing costs more than it saves. */
const SPELT_OUT = 4
/** More than this many are not sorted: wallets do not shuffle, and sorting 250,000 would block other requests. */
const SORTED = 64

/**
 * Tells an account from the others of its chain by what is read, not by who asks: wallets by their addresses and keys,
 * EVM addresses whatever their case.
 */
export function accountName(networkType: NetworkType, account: Account): string {
  if (networkType === 'evm') return account.id.toLowerCase()
  if (!isWallet(account)) return account.id
  const known = names.get(account)
  if (known !== undefined) return known
  const { addresses, extendedPublicKeys: keys } = account
  const dust = account.filterOutDust ? 'dust out' : 'all'
  const sorted = addresses.length + keys.length <= SORTED
  const text = sorted ? [...[...addresses].sort(), ...[...keys].sort()].join('|') : [...addresses, ...keys].join('|')
  const spelt = `${dust}|${text}`
  const name = addresses.length + keys.length <= SPELT_OUT ? spelt : hash('sha256', spelt, 'base64url')
  names.set(account, name)
  return name
}

/** Every poll of a request has the same list, which is hashed once. */
const keys = new WeakMap<readonly Account[], string>()

/** Two requests with the same key ask for the same accounts of a chain, in any order: they share one read. */
export function batchKey({ caip2Id, networkType, accounts }: ChainQuery): string {
  const known = keys.get(accounts)
  if (known?.startsWith(`${caip2Id}|`)) return known
  const [first, ...others] = new Set(accounts.map((account) => accountName(networkType, account)))
  const all = [first, ...others].sort()
  // The number keeps the hash of several accounts apart from one account of that name, which anyone may ask for.
  const name = others.length === 0 ? first : hash('sha256', JSON.stringify(all), 'base64url')
  const key = `${caip2Id}|${all.length}|${name}`
  keys.set(accounts, key)
  return key
}

const isWallet = (account: Account): account is WalletAccount => 'addresses' in account
