import { expect, it } from 'vitest'
import { readMessage } from '../../../../../src/api/node/evm/message.ts'
import { createChainTip } from '../../../../../src/api/node/evm/read/chain-tip.ts'
import { createKeptAnswers } from '../../../../../src/api/node/evm/read/kept-answers.ts'
import { createEvmReads } from '../../../../../src/api/node/evm/read/reads.ts'
import { createAnswerCache } from '../../../../../src/api/node/forward/answer-cache.ts'
import type { NodePools } from '../../../../../src/api/node/index.ts'
import { type Endpoint, PRIMARY } from '../../../../../src/api/node/routes/endpoint.ts'
import { DeadlineError } from '../../../../../src/errors.ts'
import type { RawResponse } from '../../../../../src/upstream/index.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { evmCall } from '../../fake-nodes.ts'

const ENDPOINT = PRIMARY.C.get('rpc') as Endpoint
const BODY = Buffer.from(evmCall('eth_gasPrice'))
const ANSWER: RawResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}\n'),
  host: 'node',
}

it('who joins a read shortly before its time is over has a time of its own', async () => {
  const late = gate()
  const asked: number[] = []
  const exchange = async (_request: unknown, { deadline = 0 }: { deadline?: number }): Promise<RawResponse> => {
    asked.push(deadline)
    if (asked.length > 1) return ANSWER
    await late.opened
    throw new DeadlineError('node: no answer in time')
  }
  const pool = { exchange, head: () => undefined, status: () => [] }
  const group = { pool, hosts: ['node'], members: () => [], path: () => '' }
  const tip = createChainTip({ maxLagBlocks: 3, head: () => undefined, holders: () => [] })
  const reads = createEvmReads({
    pools: { group: () => group } as unknown as NodePools,
    kept: createKeptAnswers(createAnswerCache({ bytes: 1_000, entries: 10 }), 0),
    tipOf: () => tip,
    lacks: () => false,
  })
  const { signal } = new AbortController()
  const message = readMessage(BODY, { from: 0, to: BODY.length })
  const call = { endpoint: ENDPOINT, message, body: BODY, contentType: 'application/json', signal }
  const now = Date.now()
  const first = reads.read({ ...call, deadline: now })
  const joined = Array.from({ length: 2 }, () => reads.read({ ...call, deadline: now + 3_600_000 }))
  late.open()
  await expect(first).rejects.toThrow(DeadlineError)
  for (const { status, body } of await Promise.all(joined))
    expect([status, String(body)]).toEqual([200, String(ANSWER.body)])
  // They have one read again.
  expect(asked).toEqual([now, now + 3_600_000])
})
