import { BadAnswerError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { PriceRequest } from '../prices/price-source.ts'
import { type CoingeckoClient, isAboutUs, isPage, refusalOf } from './coingecko-client.ts'
import { type PriceRow, priceQuery, rowsOf } from './coingecko-rows.ts'

/** "exceeds the allowed limit (10 addresses)", "… limit of 1 contract address". */
const ALLOWED = /limit \((\d{1,4}) |limit of (\d{1,4})|\b(\d{1,4}) contract address/

const allowedBy = (message: string): number | undefined => {
  const named = ALLOWED.exec(message)
  const count = Number(named?.[1] ?? named?.[2] ?? named?.[3] ?? 0)
  return count >= 1 ? count : undefined
}

/** After this time a larger batch is tried again: one call more. Milliseconds. */
const GROW_MS = 3_600_000

/**
 * Requests prices by contract in batches. The provider allows a number of addresses per call that depends on the plan
 * and changes over time (error 10012, status 400, names it): a refused batch is retried in that size, or halved.
 * After an hour twice as many are tried, since the plan may have changed.
 */
export const createContractReader = (
  client: Pick<CoingeckoClient, 'get'>,
  maxPerCall: number,
  now: () => number = steadyNow,
) => {
  let perCall = maxPerCall
  let changedAt = 0
  const grow = (): void => {
    if (perCall >= maxPerCall || now() - changedAt < GROW_MS) return
    perCall = Math.min(2 * perCall, maxPerCall)
    changedAt = now()
  }
  const ask = async (
    path: string,
    asked: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, PriceRow> | undefined> => {
    const answer = await client.get(path, signal)
    if ('ok' in answer) return rowsOf(answer, asked)
    if ('list' in answer) throw new BadAnswerError('price provider sent a list of prices')
    if (isAboutUs(answer)) throw refusalOf(answer)
    if (asked.length === 1 || answer.refused === 404) {
      if (isPage(answer)) throw refusalOf(answer)
      // An unknown platform, or a single address that it rejects: no price there.
      return new Map()
    }
    const allowed = allowedBy(answer.message)
    perCall = allowed !== undefined && allowed < asked.length ? allowed : asked.length >> 1
    changedAt = now()
    return undefined
  }
  return async (
    platform: string,
    addresses: readonly string[],
    { currencies, signal }: PriceRequest,
    budget: { calls: number },
    deliver: (asked: readonly string[], rows: ReadonlyMap<string, PriceRow>) => Promise<void>,
  ): Promise<void> => {
    const waiting = [...addresses]
    while (waiting.length > 0 && budget.calls > 0) {
      budget.calls -= 1
      if (waiting.length > perCall) grow()
      const asked = waiting.splice(0, perCall)
      const path = `/simple/token_price/${encodeURIComponent(platform)}?contract_addresses=${asked.join(',')}`
      const rows = await ask(`${path}&${priceQuery(currencies)}`, asked, signal)
      if (rows === undefined) waiting.unshift(...asked)
      else await deliver(asked, rows)
    }
  }
}
