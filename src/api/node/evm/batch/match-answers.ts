import { idOf } from '../answers.ts'
import type { EvmMessage } from '../message.ts'

const NULL = Buffer.from('null')

/**
 * Matches a node's answers to its calls. A node answers in order and leaves out calls without an answer; other servers
 * reorder, so ids decide where the order does not fit. Undefined when the answers do not match.
 */
export function matchAnswers(
  asked: readonly EvmMessage[],
  answers: readonly Buffer[],
): Map<EvmMessage, Buffer> | undefined {
  const waiting = asked.filter(({ kind }) => kind !== 'silent')
  if (waiting.length !== answers.length) {
    // Some servers also answer notifications.
    if (asked.length !== answers.length) return undefined
    return matchAnswers(
      waiting,
      answers.filter((_, index) => asked[index]?.kind !== 'silent'),
    )
  }
  const found = new Map<EvmMessage, Buffer>()
  const spare: Buffer[] = []
  const ids = answers.map((answer) => idOf(answer) ?? NULL)
  waiting.forEach((message, index) => {
    const answer = answers[index]
    const id = ids[index]
    if (!answer || !id) return
    const own = message.kind === 'call' ? message.id : undefined
    if (own === undefined ? message.kind === 'invalid' : own.equals(id)) found.set(message, answer)
    else spare.push(answer)
  })
  if (spare.length === 0) return found
  return waiting.some(({ kind }) => kind === 'invalid') ? undefined : matchById(waiting, answers, ids)
}

function matchById(
  waiting: readonly EvmMessage[],
  answers: readonly Buffer[],
  ids: readonly Buffer[],
): Map<EvmMessage, Buffer> | undefined {
  const byId = new Map<string, Buffer[]>()
  answers.forEach((answer, index) => {
    const key = ids[index]?.toString('latin1') ?? ''
    byId.set(key, [...(byId.get(key) ?? []), answer])
  })
  const found = new Map<EvmMessage, Buffer>()
  for (const message of waiting) {
    const answer = byId.get(message.id?.toString('latin1') ?? '')?.shift()
    if (!answer) return undefined
    found.set(message, answer)
  }
  return found
}
