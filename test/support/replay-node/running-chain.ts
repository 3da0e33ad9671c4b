import { type NodeAnswersDeps, nodeAnswer } from './node-answers.ts'
import type { Answer, Incoming } from './wire/answer.ts'

/**
 * A running copy of a recorded EVM chain: what recordings do not determine, as the text behind an answer's id,
 * `"result":…` or `"error":…`. Undefined where it cannot tell, either.
 *
 * @param params JSON text of the call's parameters
 */
export type RunningChain = (method: string, params: string) => Promise<string | undefined>

/** The running copies of both. */
export type RunningChains = (chain: 'C' | 'L1', ...asked: Parameters<RunningChain>) => ReturnType<RunningChain>

const CHAINS = { 'C/rpc': 'C', 'L1/rpc': 'L1' } as const

/** The node's answer, for which a running chain is asked only for what nothing else tells. */
export async function answerWith(
  deps: NodeAnswersDeps,
  request: Incoming,
  running: RunningChains | undefined,
): Promise<Answer> {
  if (!running) return nodeAnswer(deps, request)
  const told = new Map<string, string | undefined>()
  const asked = new Map<string, () => ReturnType<RunningChain>>()
  const facts: NodeAnswersDeps['facts'] = (endpoint) => {
    const known = deps.facts(endpoint)
    if (endpoint !== 'C/rpc' && endpoint !== 'L1/rpc') return known
    return (method, params = '[]') => {
      const key = `${method} ${params}`
      const found = known(method, params) ?? told.get(key)
      if (found === undefined) asked.set(key, () => running(CHAINS[endpoint], method, params))
      return found
    }
  }
  const answer = nodeAnswer({ ...deps, facts }, request)
  if (asked.size === 0) return answer
  for (const [key, ask] of asked) told.set(key, await ask())
  return [...told.values()].every((text) => text === undefined) ? answer : nodeAnswer({ ...deps, facts }, request)
}
