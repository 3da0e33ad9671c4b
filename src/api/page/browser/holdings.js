/** @import { Asset, Balances, Holding, Item, Part, Token } from './wire.js' */

/** Classes of P-chain coins that add up to the balance. */
const HELD = /** @type {const} */ ([
  ['unlockedUnstaked', 'Available'],
  ['unlockedUnstakedMultiSig', 'Shared with other signers'],
  ['unlockedStaked', 'Staked'],
  ['lockedStaked', 'Staked while locked'],
  ['lockedStakeable', 'Locked, may be staked'],
  ['lockedPlatform', 'Locked until a date'],
])

/**
 * The coins, tokens and assets of one answer: the native coin first, then by value, then those without a price.
 * @param {Item} item
 * @returns {Holding[]}
 */
export function holdingsOf({ balances }) {
  if (!balances) return []
  const native = { ...holding(balances.nativeTokenBalance), native: true }
  const tokens = [...(balances.erc20TokenBalances ?? []), ...(balances.splTokenBalances ?? [])].map(holding)
  const held = [...tokens, ...otherAssets(balances)].filter(({ amount }) => !isZero(amount))
  return [...(isZero(native.amount) ? [] : [native]), ...held.sort((a, b) => (b.value ?? -1) - (a.value ?? -1))]
}

/** @param {string} amount */
export const isZero = (amount) => BigInt(amount) === 0n

/**
 * What is staked, locked, unconfirmed or on its way between chains; empty parts are left out.
 * @param {Item} item
 * @param {Record<string, string>} blockchains names of chains by blockchain id
 * @returns {Part[]}
 */
export function partsOf({ networkType, balances }, blockchains) {
  if (!balances) return []
  const { nativeTokenBalance: native, categories = {} } = balances
  const { symbol, decimals } = native
  /** @type {(label: string, amount: unknown, place: Part['place']) => Part[]} */
  const part = (label, amount, place) =>
    typeof amount === 'string' ? [{ label, amount, symbol, decimals, place }] : []
  const parts = [
    ...part('Not confirmed yet', native.unconfirmedBalance, 'apart'),
    ...(networkType === 'pvm' ? HELD.flatMap(([name, label]) => part(label, categories[name], 'held')) : []),
    ...part('Of this, restaked rewards', categories['restakedRewards'], 'among'),
    ...(networkType === 'avm' ? lockedAssets(categories) : []),
    ...sharedMemory(networkType, native, categories, blockchains),
  ]
  return parts.filter(({ amount }) => !isZero(amount))
}

/**
 * Whether a part needs more than one signer to move: it then counts for each of them.
 * @param {Item} item
 */
export const isShared = ({ balances }) => {
  const shared = balances?.categories?.['unlockedUnstakedMultiSig']
  return typeof shared === 'string' && !isZero(shared)
}

/**
 * @param {Token} token
 * @returns {Holding}
 */
function holding(token) {
  const value = finite(token.balanceInCurrency)
  const price = finite(token.price)
  const step = finite(token.priceChange24h)
  return {
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    amount: token.balance,
    native: false,
    ...(token.address === undefined ? {} : { address: token.address }),
    ...(token.scanResult === undefined || token.scanResult === 'Benign' ? {} : { verdict: token.scanResult }),
    ...(price === undefined ? {} : { price }),
    ...(value === undefined ? {} : { value }),
    ...(value === undefined || step === undefined || !price ? {} : { change: (value / price) * step }),
    ...(finite(token.priceChangePercentage24h) === undefined
      ? {}
      : { changePercent: token.priceChangePercentage24h ?? 0 }),
  }
}

/** @param {number | undefined} value */
export const finite = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/**
 * Assets of X except the native coin, unlocked and locked together.
 * @param {Balances} balances
 * @returns {Holding[]}
 */
function otherAssets({ categories = {} }) {
  /** @type {Map<string, Holding>} */
  const sums = new Map()
  for (const asset of [...assetsIn(categories['unlocked']), ...assetsIn(categories['locked'])]) {
    if (asset.type === 'native') continue
    const { assetId, name, symbol, decimals } = asset
    const amount = (BigInt(sums.get(assetId)?.amount ?? '0') + BigInt(asset.balance)).toString()
    sums.set(assetId, { name, symbol, decimals, amount, native: false, address: assetId })
  }
  return [...sums.values()]
}

/**
 * @param {NonNullable<Balances['categories']>} categories
 * @returns {Part[]}
 */
function lockedAssets(categories) {
  const locked = assetsIn(categories['locked'])
  // Without locks there are no parts worth showing.
  if (locked.length === 0) return []
  const native = assetsIn(categories['unlocked']).filter(({ type }) => type === 'native')
  return [
    ...native.map((asset) => assetPart('Available', asset, 'held')),
    ...locked.map((asset) => assetPart('Locked', asset, asset.type === 'native' ? 'held' : 'among')),
  ]
}

/**
 * Coins that one chain exported and the other has not imported yet. Only on C are they the balance itself.
 * @param {string | undefined} networkType
 * @param {Token} native
 * @param {NonNullable<Balances['categories']>} categories
 * @param {Record<string, string>} blockchains
 * @returns {Part[]}
 */
function sharedMemory(networkType, native, categories, blockchains) {
  return /** @type {const} */ (['atomicMemoryUnlocked', 'atomicMemoryLocked']).flatMap((category) =>
    Object.entries(recordOf(categories[category])).flatMap(([id, held]) => {
      const label = `${category === 'atomicMemoryLocked' ? 'Locked, to' : 'To'} import from ${blockchains[id] ?? `chain ${id.slice(0, 8)}…`}`
      const { symbol, decimals } = native
      if (typeof held === 'string')
        return [{ label, amount: held, symbol, decimals, place: /** @type {const} */ ('apart') }]
      return held.map((asset) =>
        assetPart(label, asset, networkType === 'coreth' && asset.type === 'native' ? 'held' : 'apart'),
      )
    }),
  )
}

/**
 * @param {string} label
 * @param {Asset} asset
 * @param {Part['place']} place
 * @returns {Part}
 */
const assetPart = (label, { balance, symbol, decimals }, place) => ({ label, amount: balance, symbol, decimals, place })

/**
 * @param {string | Asset[] | Record<string, string | Asset[]> | undefined} category
 * @returns {Asset[]}
 */
const assetsIn = (category) => (Array.isArray(category) ? category : [])

/**
 * @param {string | Asset[] | Record<string, string | Asset[]> | undefined} category
 * @returns {Record<string, string | Asset[]>}
 */
const recordOf = (category) => (typeof category === 'object' && !Array.isArray(category) ? category : {})
