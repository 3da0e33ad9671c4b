import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import { AVALANCHE_REFERENCES } from '../../facts/caip.ts'
import type { Account, ChainQuery } from '../../services/balances/types.ts'
import { isCorethItem, type RequestBody, type RequestItem } from './request-schema.ts'

const AVALANCHE_TYPE = new Map<string, NetworkType>(
  Object.values(AVALANCHE_REFERENCES).flatMap((network) =>
    Object.entries(network).map(([type, reference]): [string, NetworkType] => [reference, type as NetworkType]),
  ),
)

/**
 * One read per chain for the whole request: all items that name a chain are merged, and all entries of one id become
 * one account with all of its addresses and keys, because in wallets a second answer for an id overwrites the
 * first. Chains and accounts are in the order in which they are first named.
 */
export function planRequest(body: RequestBody): ChainQuery[] {
  const chains = new Map<string, { query: Omit<ChainQuery, 'accounts'>; entries: Entries }>()

  const chain = (caip2Id: string, networkType: NetworkType): Entries => {
    let planned = chains.get(caip2Id)
    if (!planned) {
      planned = { query: { caip2Id, networkType }, entries: new Map() }
      chains.set(caip2Id, planned)
    }
    return planned.entries
  }

  for (const item of body.data) {
    const wallets = item.namespace === 'avax' ? walletsOf(item) : []
    for (const reference of new Set<string>(item.references)) {
      if (item.namespace === 'avax') {
        const networkType = AVALANCHE_TYPE.get(reference)
        if (networkType !== undefined) addWallets(chain(`avax:${reference}`, networkType), wallets)
        continue
      }
      const entries = chain(`${item.namespace}:${reference}`, ADDRESS_TYPE[item.namespace])
      for (const address of item.addresses) if (!entries.has(address)) entries.set(address, [{ id: address }])
    }
  }
  const unite = createUnion()
  return [...chains.values()]
    .map(({ query, entries }) => ({ ...query, accounts: [...entries.values()].map(unite) }))
    .filter((query) => query.accounts.length > 0)
}

/** What a request says about each id of a chain. */
type Entries = Map<string, Account[]>

const ADDRESS_TYPE = { eip155: 'evm', bip122: 'btc', solana: 'svm' } as const

type WalletItem = Extract<RequestItem, { namespace: 'avax' }>

/** Made once for all chains of an item, so that data derived from one of these objects serves all chains. */
function walletsOf(item: WalletItem): WalletAccount[] {
  const filterOutDust = item.filterOutDustUtxos ?? true
  const wallets: WalletAccount[] = []
  for (const { id, addresses } of item.addressDetails ?? []) {
    wallets.push({ id, addresses, extendedPublicKeys: [], filterOutDust })
  }
  // C-chain items have no such member: a value there was not checked and is ignored like any other unknown member.
  const keys = isCorethItem(item) ? [] : (item.extendedPublicKeyDetails ?? [])
  for (const key of keys) {
    wallets.push({ id: key.id, addresses: [], extendedPublicKeys: [key.extendedPublicKey], filterOutDust })
  }
  return wallets
}

function addWallets(entries: Entries, wallets: readonly WalletAccount[]): void {
  for (const wallet of wallets) {
    const known = entries.get(wallet.id)
    if (known) known.push(wallet)
    else entries.set(wallet.id, [wallet])
  }
}

/** Makes one account of all entries of an id; chains with the same entries get the same object. */
function createUnion(): (said: readonly Account[]) => Account {
  const made = new Map<Account, { said: readonly Account[]; account: Account }>()
  return (said) => {
    const first = said[0] as Account
    if (said.length === 1) return first
    const before = made.get(first)
    if (before?.said.length === said.length && before.said.every((one, at) => one === said[at])) return before.account
    const account = unionOf(first.id, said as readonly WalletAccount[])
    made.set(first, { said, account })
    return account
  }
}

/**
 * If entries of one id disagree about dust, it is shown: more detail is the safer answer. Addresses are compared where
 * they are read, a few thousand in a turn: comparing 250,000 here would block other requests.
 */
const unionOf = (id: string, wallets: readonly WalletAccount[]): WalletAccount => ({
  id,
  addresses: wallets.flatMap(({ addresses }) => addresses),
  extendedPublicKeys: [...new Set(wallets.flatMap(({ extendedPublicKeys }) => extendedPublicKeys))],
  filterOutDust: wallets.every(({ filterOutDust }) => filterOutDust),
})
