/** @import { Chain, Item, Pair, Totals } from './wire.js' */
import { finite, holdingsOf, isShared } from './holdings.js'

/**
 * @typedef {{ pair: Pair, state: 'waiting' } | { pair: Pair, state: 'failed', error: string } | { pair: Pair, state: 'read', item: Item }} Reading
 */

/**
 * Everything requested and its results. Each pair waits until it is answered or has failed; nothing is dropped
 * and nothing missing counts as zero.
 * @param {readonly Pair[]} pairs
 */
export function createPortfolio(pairs) {
  /** @type {Map<string, Reading>} */
  const readings = new Map(pairs.map((pair) => [keyOf(pair.chain.caip2Id, pair.id), { pair, state: 'waiting' }]))
  const chains = [...new Map(pairs.map(({ chain }) => [chain.caip2Id, chain])).values()]

  return {
    chains,
    /** @param {Chain} chain */
    readingsOf: ({ caip2Id }) => [...readings.values()].filter(({ pair }) => pair.chain.caip2Id === caip2Id),
    /** @returns {Pair[]} */
    failed: () => [...readings.values()].flatMap(({ pair, state }) => (state === 'failed' ? [pair] : [])),
    /**
     * Takes an item of the stream. Items that were not requested are ignored; one without a pair is an error of the
     * whole stream and shows in the pairs that stay unanswered.
     * @param {Item} item
     * @returns {Pair | undefined} the pair that changed, as it was asked last
     */
    accept(item) {
      const key = keyOf(item.caip2Id ?? '', item.id ?? '')
      const reading = readings.get(key)
      if (!reading) return undefined
      const { pair } = reading
      if (item.error === null && item.balances) readings.set(key, { pair, state: 'read', item })
      else readings.set(key, { pair, state: 'failed', error: item.error ?? 'no balances were sent' })
      return pair
    },
    /**
     * Marks those of the pairs that still wait as failed.
     * @param {readonly Pair[]} some
     * @param {string} error
     */
    giveUp(some, error) {
      for (const { chain, id } of some) {
        const key = keyOf(chain.caip2Id, id)
        const reading = readings.get(key)
        if (reading?.state === 'waiting') readings.set(key, { pair: reading.pair, state: 'failed', error })
      }
    },
    /** @param {readonly Pair[]} some requested again */
    waitFor(some) {
      for (const pair of some) readings.set(keyOf(pair.chain.caip2Id, pair.id), { pair, state: 'waiting' })
    },
    /** @returns {Totals} */
    totals: () => sum([...readings.values()]),
    /** @param {Chain} chain */
    totalsOf: ({ caip2Id }) => sum([...readings.values()].filter(({ pair }) => pair.chain.caip2Id === caip2Id)),
  }
}

/** @typedef {ReturnType<typeof createPortfolio>} Portfolio */

/**
 * EVM addresses are case-insensitive; ids come back as they were sent.
 * @param {string} caip2Id
 * @param {string} id
 */
const keyOf = (caip2Id, id) => `${caip2Id} ${id}`

/**
 * @param {readonly Reading[]} readings
 * @returns {Totals}
 */
function sum(readings) {
  const totals = { asked: readings.length, answered: 0, failed: 0, unvalued: 0, unpriced: 0, value: 0 }
  /** @type {number | undefined} */
  let change
  let changing = 0
  for (const reading of readings) {
    if (reading.state === 'failed') totals.failed += 1
    if (reading.state !== 'waiting') totals.answered += 1
    if (reading.state !== 'read') continue
    const holdings = holdingsOf(reading.item)
    const total = finite(reading.item.balances?.totalBalanceInCurrency)
    // The server sends no total if a price is missing; what is priced counts, and the sum says "at least".
    if (total === undefined && holdings.length > 0) totals.unvalued += 1
    else totals.unpriced += holdings.filter(({ value }) => value === undefined).length
    totals.value += total ?? holdings.reduce((before, { value }) => before + (value ?? 0), 0)
    for (const { value = 0, change: moved } of holdings) {
      if (moved === undefined) continue
      change = (change ?? 0) + moved
      changing += value
    }
  }
  const before = changing - (change ?? 0)
  return {
    ...totals,
    twice: countedTwice(readings),
    change,
    changePercent: change === undefined || before <= 0 ? undefined : (change / before) * 100,
  }
}

/**
 * Whether something may be in the sum more than once: coins that several must sign for, or those of an extended key
 * whose addresses were given as well. Each answer by itself is right.
 * @param {readonly Reading[]} readings
 */
function countedTwice(readings) {
  /** @type {Map<string, { held: number, doubtful: boolean }>} */
  const chains = new Map()
  for (const reading of readings) {
    if (reading.state !== 'read' || !reading.pair.chain.letter || holdingsOf(reading.item).length === 0) continue
    const { caip2Id } = reading.pair.chain
    const { held, doubtful } = chains.get(caip2Id) ?? { held: 0, doubtful: false }
    const may = isShared(reading.item) || reading.pair.id.startsWith('xpub')
    chains.set(caip2Id, { held: held + 1, doubtful: doubtful || may })
  }
  return [...chains.values()].some(({ held, doubtful }) => doubtful && held > 1)
}
