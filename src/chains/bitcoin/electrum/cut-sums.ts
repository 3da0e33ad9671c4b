import { failure, JsonRpcError } from '../../../errors.ts'
import { lacksMethod } from '../../../upstream/json-rpc/lacking-method.ts'
import type { Outcome } from '../../capabilities.ts'
import type { ElectrumCall, ElectrumLink, Sent } from './link.ts'

/** First version that tells a status without a subscription. */
const TELLS_STATUS = [2, 1, 1] as const

/** Version of a Fulcrum server; undefined for any other. */
const fulcrumVersion = (software: string | undefined): readonly number[] | undefined => {
  if (!/^fulcrum\b/i.test(software ?? '')) return undefined
  const [, ...parts] = /(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?/.exec(software ?? '') ?? []
  return parts.map((part) => Number(part ?? 0))
}

const isAtLeast = (version: readonly number[], least: readonly number[]): boolean => {
  const at = least.findIndex((part, place) => part !== (version[place] ?? 0))
  return at < 0 || (version[at] ?? 0) > (least[at] ?? 0)
}

/** Calls for a script's status, status first; a subscription is cancelled again, because their number is limited. */
const statusCalls = (version: readonly number[], params: readonly unknown[]): ElectrumCall[] =>
  isAtLeast(version, TELLS_STATUS)
    ? [['blockchain.scripthash.get_status', params]]
    : [
        ['blockchain.scripthash.subscribe', params],
        ['blockchain.scripthash.unsubscribe', params],
      ]

const isPositive = (answer: Outcome<unknown> | undefined): boolean =>
  answer?.ok === true && Number((answer.value as { confirmed?: unknown } | null)?.confirmed) > 0

const isNoStatus = (answer: Outcome<unknown> | undefined): boolean => answer?.ok === true && answer.value === null

/**
 * Turns truncated balances into errors. Fulcrum (1.9 to 2.1 at least) reads no more coins of a script than its limit
 * (`max_history`, 125,000 or down to 1,000) and answers with their sum. For a script with more transactions than that,
 * its history is empty and its status therefore null, which cannot be true for a script with coins. Other servers sum
 * up all coins, or refuse. A server that does not know the question is believed.
 */
export const withoutCutSums = async (
  link: Pick<ElectrumLink, 'send' | 'software'>,
  calls: readonly ElectrumCall[],
  sent: Sent,
  signal: AbortSignal,
): Promise<Sent> => {
  const version = fulcrumVersion(link.software)
  if (!version) return sent
  const held = [...calls.entries()].filter(
    ([at, [method]]) => method === 'blockchain.scripthash.get_balance' && isPositive(sent.outcomes[at]),
  )
  if (held.length === 0) return sent
  const outcomes = [...sent.outcomes]
  if (sent.fault !== undefined) {
    // A server that has closed the connection cannot be asked, and one of these sums may be truncated.
    for (const [at] of held) outcomes[at] = failure(sent.fault)
    return { outcomes, fault: sent.fault }
  }
  const questions = held.map(([, [, params]]) => statusCalls(version, params))
  const looked = await link.send(questions.flat(), signal)
  for (const [place, [at]] of held.entries()) {
    const status = looked.outcomes[place * (questions[0]?.length ?? 1)]
    if (isNoStatus(status)) outcomes[at] = failure(new JsonRpcError('Electrum: history too large', 0, undefined, true))
    else if (status?.ok === false && !lacksMethod(status.error)) outcomes[at] = status
  }
  return looked.fault === undefined ? { outcomes } : { outcomes, fault: looked.fault }
}
