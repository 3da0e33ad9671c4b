import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationSet } from '../../support/replay-node/index.ts'
import type { Conversation } from '../../support/replay-node/recorded/conversations.ts'
import { differences, elsewhere } from './differences.ts'
import { conversationsOf, type RecordedStage, replay, startStage } from './recorded-node.ts'

const SETS: readonly [ConversationSet, number][] = [
  ['network-moment', 1_000],
  ['network-once', 80],
  ['l1', 50],
  ['legacy', 250],
]

/** Nodes that could compress said so in every answer. */
const withoutCompression = (one: Conversation): Conversation => ({
  ...one,
  response: {
    ...one.response,
    headers: one.response.headers.filter(([name, value]) => name !== 'Vary' || value !== 'Accept-Encoding'),
  },
})

const isElsewhere = ({ name }: Conversation): boolean => elsewhere.some(({ names }) => names.test(name))
const mayDiffer = (set: ConversationSet, { name }: Conversation): boolean =>
  differences.some(({ sets, names }) => sets.includes(set) && names.source !== '.*' && names.test(name))

describe.each(SETS)('recorded conversations: %s', (set, atLeast) => {
  let stage: RecordedStage
  beforeAll(async () => {
    stage = await startStage([set])
  })
  afterAll(() => stage.close())

  it('are answered byte for byte, except what the table of differences names', async () => {
    const all = conversationsOf(set)
    expect(all.length).toBeGreaterThanOrEqual(atLeast)
    const wrong: string[] = []
    const differing: string[] = []
    for (const recorded of all) {
      if (isElsewhere(recorded)) continue
      const one = set === 'legacy' ? withoutCompression(recorded) : recorded
      const { verdict, seen } = await replay(stage.port, one)
      const same = verdict === 'identical' || verdict === 'equal'
      if (!same && mayDiffer(set, one)) differing.push(one.name)
      else if (!same) wrong.push(`${one.name} (${verdict}): ${seen}`)
    }
    expect(wrong).toEqual([])
    // A row that nothing needs any more has to go.
    const idle = differences
      .filter(({ sets, names }) => sets.includes(set) && names.source !== '.*')
      .filter(({ names }) => !differing.some((name) => names.test(name)))
    expect(idle.map(({ what }) => what)).toEqual([])
  })
})
