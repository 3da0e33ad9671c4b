import type { Answer, Incoming } from './answer.ts'
import { type NodeAnswersDeps, nodeAnswer } from './node-answers.ts'

/**
 * A running copy of the recorded C-chain: what recordings do not determine, as the text behind an answer's id,
 * `"result":…` or `"error":…`. Undefined where it cannot tell, either.
 *
 * @param params JSON text of the call's parameters
 */
export type RunningChain = (method: string, params: string) => Promise<string | undefined>

/** The node's answer, for which a running chain is asked only for what nothing else tells. */
export async function answerWith(
  deps: NodeAnswersDeps,
  request: Incoming,
  chain: RunningChain | undefined,
): Promise<Answer> {
  if (!chain) return nodeAnswer(deps, request)
  const told = new Map<string, string | undefined>()
  const asked = new Map<string, { method: string; params: string }>()
  const facts: NodeAnswersDeps['facts'] = (endpoint) => {
    const known = deps.facts(endpoint)
    if (endpoint !== 'C/rpc') return known
    return (method, params = '[]') => {
      const key = `${method} ${params}`
      const found = known(method, params) ?? told.get(key)
      if (found === undefined) asked.set(key, { method, params })
      return found
    }
  }
  const answer = nodeAnswer({ ...deps, facts }, request)
  if (asked.size === 0) return answer
  for (const [key, { method, params }] of asked) told.set(key, await chain(method, params))
  return [...told.values()].every((text) => text === undefined) ? answer : nodeAnswer({ ...deps, facts }, request)
}
