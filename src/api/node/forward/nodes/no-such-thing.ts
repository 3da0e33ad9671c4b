import type { AnswerVerdict, RawResponse } from '../../../../upstream/index.ts'
import type { Judge } from '../judge.ts'

/** True for the answer of a node that it has no such thing. */
export const isNoSuchThing = (verdict: AnswerVerdict): boolean =>
  verdict.kind === 'retry' && verdict.behind === true && verdict.unheard === undefined

/** Of several nodes that have no such thing, the words of one count that lacks nothing of what clients were told. */
export interface NoSuchThing {
  judge: Judge
  /** What counts of what all nodes said, of which this came last. */
  wordOf(last: RawResponse): RawResponse
}

/** @param lacks settled before the nodes are asked */
export function createNoSuchThing(judge: Judge, lacks: (host: string) => boolean): NoSuchThing {
  let word: RawResponse | undefined
  return {
    judge: (response) => {
      const verdict = judge(response)
      if (isNoSuchThing(verdict) && !lacks(response.host)) word = response
      return verdict
    },
    wordOf: (last) => (word && lacks(last.host) && isNoSuchThing(judge(last)) ? word : last),
  }
}
