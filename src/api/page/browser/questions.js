/** @import { Account, Chain, Pair, Question } from './wire.js' */

/** Limits of one body (balance spec, limits). */
const ITEMS = 5
const ADDRESSES = 50
const REFERENCES = 20

/** @param {Chain} chain */
const namespaceOf = ({ caip2Id }) => caip2Id.slice(0, caip2Id.indexOf(':'))
/** @param {Chain} chain */
const referenceOf = ({ caip2Id }) => caip2Id.slice(caip2Id.indexOf(':') + 1)

/**
 * Cuts into pieces of at most `size`.
 * @template T
 * @param {readonly T[]} list
 * @param {number} size
 * @returns {T[][]}
 */
const pieces = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

/**
 * Every chain of one side that can hold one of the accounts, as bodies for get-balances within its limits.
 * @param {readonly Account[]} accounts
 * @param {readonly Chain[]} chains
 * @param {boolean} testnet test networks instead of main ones: play money is never added to real money
 * @returns {Question[]}
 */
export function planQuestions(accounts, chains, testnet) {
  const side = testnet ? 'testnet' : 'mainnet'
  const here = accounts.filter((account) => account.side === 'both' || account.side === side)
  const served = chains.filter((chain) => chain.testnet === testnet)
  const items = [
    ...avalancheItems(here, served),
    ...addressItems('eip155', 'evm', here, served),
    ...addressItems('bip122', 'bitcoin', here, served),
    ...addressItems('solana', 'solana', here, served),
  ]
  return pieces(items, ITEMS).map((some) => ({
    data: some.map(({ item }) => item),
    pairs: some.flatMap(({ pairs }) => pairs),
  }))
}

/**
 * @param {string} namespace
 * @param {Account['kind']} kind
 * @param {readonly Account[]} accounts
 * @param {readonly Chain[]} chains
 */
function addressItems(namespace, kind, accounts, chains) {
  const ids = accounts.filter((account) => account.kind === kind).map(({ id }) => id)
  const places = chains.filter((chain) => namespaceOf(chain) === namespace)
  return pieces(ids, ADDRESSES).flatMap((addresses) =>
    pieces(places, REFERENCES).map((some) => ({
      item: { namespace, addresses, references: some.map(referenceOf) },
      pairs: pairsOf(some, addresses),
    })),
  )
}

/**
 * P and X of the same wallets go into one item, C into another (balance spec, request item shapes 4 and 5).
 * @param {readonly Account[]} accounts
 * @param {readonly Chain[]} chains
 */
function avalancheItems(accounts, chains) {
  const wallets = accounts.filter(({ kind }) => kind === 'avalanche')
  const keys = accounts.filter(({ kind }) => kind === 'xpub')
  /** @param {Account} account @param {'P' | 'X' | 'C'} letter */
  const on = ({ letters }, letter) => letters.includes(letter)
  const groups = [
    { letters: ['P', 'X'], members: wallets.filter((one) => on(one, 'P') && on(one, 'X')), keys },
    { letters: ['P'], members: wallets.filter((one) => on(one, 'P') && !on(one, 'X')), keys: [] },
    { letters: ['X'], members: wallets.filter((one) => on(one, 'X') && !on(one, 'P')), keys: [] },
    { letters: ['C'], members: wallets.filter((one) => on(one, 'C')), keys: [] },
  ]
  return groups.flatMap(({ letters, members, keys: own }) => {
    const places = chains.filter(({ letter }) => letter !== undefined && letters.includes(letter))
    if (places.length === 0) return []
    return pieces([...members, ...own], ADDRESSES).map((some) => avalancheItem(places, some))
  })
}

/**
 * @param {readonly Chain[]} places
 * @param {readonly Account[]} accounts
 */
function avalancheItem(places, accounts) {
  const addressDetails = accounts.flatMap(({ kind, id }) => (kind === 'avalanche' ? [{ id, addresses: [id] }] : []))
  const extendedPublicKeyDetails = accounts.flatMap(({ kind, id }) =>
    kind === 'xpub' ? [{ id, extendedPublicKey: id }] : [],
  )
  return {
    item: {
      namespace: 'avax',
      references: places.map(referenceOf),
      ...(addressDetails.length > 0 ? { addressDetails } : {}),
      ...(extendedPublicKeyDetails.length > 0 ? { extendedPublicKeyDetails } : {}),
      // People count every coin; filtering dust is for wallets that build transactions.
      filterOutDustUtxos: false,
    },
    pairs: pairsOf(
      places,
      accounts.map(({ id }) => id),
    ),
  }
}

/**
 * @param {readonly Chain[]} chains
 * @param {readonly string[]} ids
 * @returns {Pair[]}
 */
const pairsOf = (chains, ids) => chains.flatMap((chain) => ids.map((id) => ({ chain, id })))
