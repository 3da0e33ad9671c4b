import { UpstreamUnavailableError } from '../../../../../errors.ts'
import { resultOf } from '../../answers.ts'
import type { UpstreamLink } from './upstream-link.ts'

/**
 * A node that takes longer is not used, milliseconds: it may answer pings and other calls, and the next one has to be asked
 * before clients lose their subscriptions. Logs of many blocks have no limit but the life of the link.
 */
const ANSWER_MS = 10_000

/**
 * Sends one call over a link. `params` is JSON.
 * @returns the result, as JSON
 * @throws UpstreamUnavailableError when the link is lost, the answer is an error, or it does not come in time
 */
export function askLink(link: UpstreamLink, method: string, params: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new UpstreamUnavailableError(`${link.host}: ${method} was not answered`))
    const timer = method === 'eth_getLogs' ? undefined : setTimeout(fail, ANSWER_MS).unref()
    link.call(method, params, (entry) => {
      clearTimeout(timer)
      const result = entry && resultOf(entry)
      if (result) resolve(result)
      else fail()
    })
  })
}

/** As `askLink`, for a result that is a JSON string: its text, without quotes. */
export async function askText(link: UpstreamLink, method: string, params: string): Promise<string> {
  const result = await askLink(link, method, params)
  return result.toString('latin1', 1, result.length - 1)
}

/** The newest block at the node; rejects as `askLink` does, and when the result is not a height. */
export const askHeight = async (link: UpstreamLink): Promise<bigint> =>
  BigInt(await askText(link, 'eth_blockNumber', '[]'))
