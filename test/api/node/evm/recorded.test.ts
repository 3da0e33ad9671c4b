import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Conversation } from '../../../support/replay-node/recorded/conversations.ts'
import { conversationsOf, type RecordedStage, replay, startStage } from '../recorded-node.ts'

/** Answered otherwise on purpose, each with its reason in `differences.ts`. */
const DIFFERENT = /^http\/(content-length-and-chunked|unknown-method|ws\/upgrade-foreign-host)$/

const isEvm = ({ request }: Conversation): boolean => /\/(rpc|ws)(\?|$)|\/validators$/.test(request.path)

for (const set of ['network', 'l1'] as const) {
  describe(`every recorded EVM conversation: ${set}`, () => {
    const conversations = conversationsOf(set).filter((one) => isEvm(one) && !DIFFERENT.test(one.name))
    let stage: RecordedStage
    beforeAll(async () => {
      stage = await startStage([set])
    })
    afterAll(() => stage.close())

    it.each(conversations.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      const { verdict, seen } = await replay(stage.port, one)
      expect({ verdict, seen: verdict === 'identical' ? '' : seen }).toMatchObject({ seen: '' })
    })
  })
}
