import { AVALANCHE_CAIP2 } from '../../../../src/chains/avalanche/index.ts'
import type { Side as NetworkSide } from '../../../../src/facts/primary-network.ts'
import type { Random } from '../../../support/generated/random.ts'
import { encodeAddress } from '../../../support/replay-node/wire/address-text.ts'
import type { Side } from './expected.ts'
import { KEYS, MANY, PLAIN } from './holders.ts'

/** One requested account as it should be understood: all that a request says of an id on a chain. */
export interface AskedWallet {
  side: NetworkSide
  chain: Side
  id: string
  /** Hex. */
  owned: Set<string>
  dustOut: boolean
  /** It has an address or a key that nobody can read: no number may be told. */
  broken: boolean
}

export interface Question {
  body: { data: unknown[]; currency?: string }
  /** By caip2Id and id. */
  wallets: Map<string, AskedWallet>
}

export const walletKey = (caip2Id: string, id: string): string => `${caip2Id} ${id}`

interface Entry {
  id: string
  addresses: string[]
  keys: string[]
  owned: string[]
  broken: boolean
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', '__proto__', 'constructor', '0', ' ', '😀', 'a|b'] as const
const TAKEN = [...PLAIN, ...KEYS.flatMap(({ used }) => used)]

const textOf = (random: Random, hex: string): string =>
  encodeAddress(random.pick(['fuji', 'avax']), Buffer.from(hex, 'hex'))

const idOf = (random: Random): string => (random.chance(0.01) ? '' : random.pick(IDS))

/** Changes the last character to another of the alphabet: the pattern is met, the checksum is not. */
const damaged = (text: string): string => text.slice(0, -1) + (text.endsWith('q') ? 'p' : 'q')

function addressEntry(random: Random, large: boolean): Entry {
  const owned = random.some(TAKEN, random.between(1, random.chance(0.1) ? 70 : 5))
  if (large && random.chance(0.25)) owned.push(PLAIN[0] as string, ...random.some(PLAIN.slice(1, 3), 1))
  if (large && random.chance(0.15)) owned.push(...MANY.slice(random.pick([0, 500, 1_000, 1_650])).slice(0, 900))
  // Asked for more than once, under either prefix.
  const addresses = [...owned, ...random.some(owned, random.below(3))].map((hex) => textOf(random, hex))
  const broken = random.chance(0.02)
  if (broken) addresses.splice(random.below(addresses.length + 1), 0, damaged(textOf(random, PLAIN[3] as string)))
  return { id: idOf(random), addresses, keys: [], owned, broken }
}

function keyEntry(random: Random): Entry {
  const key = random.pick(KEYS)
  const text = random.pick(key.texts)
  const broken = random.chance(0.02)
  return { id: idOf(random), addresses: [], keys: [broken ? damaged(text) : text], owned: [...key.used], broken }
}

/** A request that a wallet could send, with what is asked for. */
export function askSomething(random: Random, large: boolean): Question {
  const wallets: Question['wallets'] = new Map()
  const data = random.list(random.between(1, 5), () =>
    (random.chance(0.25) ? corethItem : xpItem)(random, large, wallets),
  )
  return { body: { data, ...(random.chance(0.3) ? { currency: random.pick(['eur', 'usd']) } : {}) }, wallets }
}

function xpItem(random: Random, large: boolean, wallets: Question['wallets']): unknown {
  const details = random.list(random.below(7), () => addressEntry(random, large))
  const keys = random.list(random.below(4), () => keyEntry(random))
  const places = random.some(['mainnet P', 'mainnet X', 'testnet P', 'testnet X'] as const, random.between(1, 4))
  const dust = random.pick([undefined, true, false])
  for (const place of places) note(wallets, place, [...details, ...keys], dust ?? true)
  return itemOf(places, details, dust, {
    ...(keys.length > 0 || random.chance(0.5)
      ? { extendedPublicKeyDetails: keys.map(({ id, keys: [extendedPublicKey] }) => ({ id, extendedPublicKey })) }
      : {}),
  })
}

function corethItem(random: Random, large: boolean, wallets: Question['wallets']): unknown {
  const details = random.list(random.between(1, 5), () => addressEntry(random, large))
  const places = random.some(['mainnet C', 'testnet C'] as const, random.between(1, 2))
  const dust = random.pick([undefined, true, false])
  for (const place of places) note(wallets, place, details, dust ?? true)
  return itemOf(places, details, dust, {})
}

const caip2IdOf = (place: string): string => {
  const [side, chain] = place.split(' ') as [NetworkSide, Side]
  return AVALANCHE_CAIP2[side][chain]
}

const itemOf = (places: readonly string[], details: readonly Entry[], dust: boolean | undefined, more: object) => ({
  namespace: 'avax',
  references: places.map((place) => caip2IdOf(place).slice('avax:'.length)),
  addressDetails: details.map(({ id, addresses }) => ({ id, addresses })),
  ...(dust === undefined ? {} : { filterOutDustUtxos: dust }),
  ...more,
})

/** Entries of one id are one wallet: the union of what they hold; dust is shown where one of them wants it. */
function note(wallets: Question['wallets'], place: string, entries: readonly Entry[], dustOut: boolean): void {
  const [side, chain] = place.split(' ') as [NetworkSide, Side]
  for (const { id, owned, broken } of entries) {
    const key = walletKey(caip2IdOf(place), id)
    const known = wallets.get(key) ?? { side, chain, id, owned: new Set(), dustOut: true, broken: id === '' }
    for (const hex of owned) known.owned.add(hex)
    known.dustOut &&= dustOut
    known.broken ||= broken
    wallets.set(key, known)
  }
}
