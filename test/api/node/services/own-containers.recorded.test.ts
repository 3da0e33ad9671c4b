import { describe, expect, it } from 'vitest'
import { createContainerIndexService } from '../../../../src/api/node/services/container-index.ts'
import { CONTAINER_INDEXES, createStoredContainers } from '../../../../src/services/containers/index.ts'
import { type Stage, startStage } from '../../../indexer/stage.ts'
import { FIXTURES, recordedLines } from '../../../support/recorded/recordings.ts'
import { bodyOf, type Conversation, readConversations } from '../../../support/replay-node/recorded/conversations.ts'
import { compareReplies, dateOf } from '../../../support/replay-node/recorded/recorded-comparison.ts'
import { openRecordings } from '../../../support/replay-node/recorded/recordings.ts'
import { callLocal } from '../local-call.ts'

const recordings = openRecordings(FIXTURES)
const endpointOf = ({ request }: Conversation): string => request.path.slice('/ext/'.length)
/** Filled here, while a node's is empty; and vertices, which are never here. */
const NOT_A_NODES = /^index\/X\/(tx|vtx)$/
const isCall = (one: Conversation): boolean =>
  (CONTAINER_INDEXES as readonly string[]).includes(endpointOf(one).slice('index/'.length)) &&
  !NOT_A_NODES.test(endpointOf(one)) &&
  one.request.method === 'POST' &&
  one.response.status === 200
const asksForNothing = (one: Conversation): boolean =>
  /numToFetch must be in \[1,1024\] but is 0/.test(one.response.body ?? '')

interface BlockLine {
  container: { timestamp: string } | null
}

/** Heights of the recorded node at a time, unix milliseconds. */
function heightsBy(file: string): (at: number) => number {
  const times = recordedLines<BlockLine>(file).map(({ container }) => (container ? Date.parse(container.timestamp) : 0))
  return (at) => times.filter((time) => time <= at).length - 1
}

describe('recorded conversations about the index, over an index of our own', () => {
  const conversations = readConversations(recordings, 'network-moment')
    .filter(isCall)
    .sort((one, other) => dateOf(one) - dateOf(other))

  it('are answered byte for byte', async () => {
    expect(conversations.length).toBeGreaterThan(150)
    const heights = { P: heightsBy('p-blocks'), X: heightsBy('x-blocks'), C: heightsBy('c-blocks') }
    const at = (time: number) => ({ P: heights.P(time), X: heights.X(time), C: heights.C(time) })
    const [first] = conversations
    if (!first) throw new Error('no conversation')
    const stage = await startStage({ nodes: [{ upTo: at(dateOf(first) + 999) }] })
    await stage.caughtUp()
    const service = serviceOver(stage)
    const wrong: string[] = []
    for (const one of conversations) {
      stage.nodes[0]?.moveTo(at(dateOf(one) + 999))
      const answer = String(await callLocal(service, endpointOf(one), bodyOf(one.request)))
      const wanted = asksForNothing(one)
        ? answer === '{"jsonrpc":"2.0","result":{"containers":[]},"id":1}\n'
        : compareReplies(one, { status: 200, headers: one.response.headers, body: answer }) === 'identical'
      if (!wanted) wrong.push(`${one.name}: ${answer.slice(0, 300)}\n${one.response.body?.slice(0, 300)}`)
    }
    expect(wrong).toEqual([])
  })
})

function serviceOver({ store, nodes }: Stage) {
  return createContainerIndexService(
    createStoredContainers({
      index: store.reader,
      network: 'recorded',
      nodeHeight: async (letter) => BigInt(nodes[0]?.heights()[letter] ?? 0),
      maxAgeMs: 60_000,
    }),
  )
}
