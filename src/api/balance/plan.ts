import type { NetworkType, WalletAccount } from '../../chains/capabilities.ts'
import { AVALANCHE_REFERENCES } from '../../schemas/index.ts'
import type { Account, ChainQuery } from '../../services/balances/types.ts'
import type { RequestBody, RequestItem } from './request-schema.ts'

const AVALANCHE_TYPE = new Map<string, NetworkType>(
  Object.values(AVALANCHE_REFERENCES).flatMap((network) =>
    Object.entries(network).map(([type, reference]): [string, NetworkType] => [reference, type as NetworkType]),
  ),
)

/**
 * One read per chain for the whole request: all items that name a chain are merged, and all entries of one id become
 * one account with the union of its addresses and keys, because wallets let a second answer for an id overwrite the
 * first. Order: chains as first named, accounts as first named.
 */
export function planRequest(body: RequestBody): ChainQuery[] {
  const chains = new Map<string, { query: ChainQuery; accounts: Map<string, Account> }>()

  const chain = (caip2Id: string, networkType: NetworkType) => {
    let planned = chains.get(caip2Id)
    if (!planned) {
      planned = { query: { caip2Id, networkType, accounts: [] }, accounts: new Map() }
      chains.set(caip2Id, planned)
    }
    return planned.accounts
  }

  for (const item of body.data) {
    for (const reference of new Set<string>(item.references)) {
      if (item.namespace === 'avax') {
        const networkType = AVALANCHE_TYPE.get(reference)
        if (networkType !== undefined) addWallets(chain(`avax:${reference}`, networkType), item)
        continue
      }
      const accounts = chain(`${item.namespace}:${reference}`, ADDRESS_TYPE[item.namespace])
      for (const address of item.addresses) accounts.set(address, { id: address })
    }
  }
  return [...chains.values()]
    .map(({ query, accounts }) => ({ ...query, accounts: [...accounts.values()] }))
    .filter((query) => query.accounts.length > 0)
}

const ADDRESS_TYPE = { eip155: 'evm', bip122: 'btc', solana: 'svm' } as const

type WalletItem = Extract<RequestItem, { namespace: 'avax' }>

function addWallets(accounts: Map<string, Account>, item: WalletItem): void {
  const filterOutDust = item.filterOutDustUtxos ?? true
  for (const wallet of item.addressDetails ?? []) {
    merge(accounts, { id: wallet.id, addresses: wallet.addresses, extendedPublicKeys: [], filterOutDust })
  }
  for (const key of ('extendedPublicKeyDetails' in item ? item.extendedPublicKeyDetails : undefined) ?? []) {
    merge(accounts, { id: key.id, addresses: [], extendedPublicKeys: [key.extendedPublicKey], filterOutDust })
  }
}

/** Where entries of one id disagree about dust, it is shown: more detail is the safer answer. */
function merge(accounts: Map<string, Account>, wallet: WalletAccount): void {
  const known = accounts.get(wallet.id) as WalletAccount | undefined
  accounts.set(wallet.id, {
    id: wallet.id,
    addresses: [...new Set([...(known?.addresses ?? []), ...wallet.addresses])],
    extendedPublicKeys: [...new Set([...(known?.extendedPublicKeys ?? []), ...wallet.extendedPublicKeys])],
    filterOutDust: (known?.filterOutDust ?? true) && wallet.filterOutDust,
  })
}
