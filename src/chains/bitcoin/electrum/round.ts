import { BadAnswerError, failure } from '../../../errors.ts'
import type { Outcome } from '../../capabilities.ts'
import type { Told } from '../backend.ts'
import type { ElectrumCall } from './link.ts'

/** The calls of one round and their results so far. */
export interface Round {
  /** Calls without a good answer, in order. */
  open(): ElectrumCall[]
  /** Takes one server's answers to the open calls. Returns the error of an invalid answer: the server's fault. */
  take(answers: readonly Outcome<unknown>[]): Error | undefined
  /** Keeps answers in case no other server answers. */
  setAside(answers: readonly Outcome<unknown>[]): void
  /** Whether any server has answered anything. */
  begun(): boolean
  /** All outcomes in the order of the calls; `last` is the error of the last server. */
  outcomes(last: unknown): Told<unknown>[]
}

const judge = (answer: Outcome<unknown>, check: ((value: unknown) => void) | undefined): Outcome<unknown> => {
  if (!answer.ok || !check) return answer
  try {
    check(answer.value)
    return answer
  } catch (error) {
    return failure(error)
  }
}

/** @param check throws for a value that is not an answer */
export const startRound = (calls: readonly ElectrumCall[], check: ((value: unknown) => void) | undefined): Round => {
  const found: (Outcome<unknown> | undefined)[] = calls.map(() => undefined)
  const aside = new Map<number, Told<unknown>>()
  return {
    open: () => calls.filter((_, at) => found[at]?.ok !== true),
    take(answers) {
      let trouble: Error | undefined
      let taken = 0
      for (const [at, known] of found.entries()) {
        if (known?.ok) continue
        const answer = answers[taken] ?? failure(new BadAnswerError('Electrum round lost an answer'))
        const judged = judge(answer, check)
        if (answer.ok && !judged.ok) trouble ??= judged.error
        found[at] = judged
        taken += 1
      }
      return trouble
    },
    setAside(answers) {
      const open = [...found.keys()].filter((at) => found[at]?.ok !== true)
      for (const [taken, at] of open.entries()) {
        const answer = answers[taken]
        const judged = answer && judge(answer, check)
        if (judged?.ok && !aside.has(at)) aside.set(at, { ...judged, lags: true })
      }
    },
    begun: () => aside.size > 0 || found.some((one) => one !== undefined),
    outcomes: (last) => found.map((one, at) => (one?.ok ? one : (aside.get(at) ?? one ?? failure(last)))),
  }
}
