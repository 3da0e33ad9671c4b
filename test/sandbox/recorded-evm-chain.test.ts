import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RecordedEvmBlock } from '../support/evm/recorded-evm.ts'
import { FIXTURES } from '../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../support/replay-node/index.ts'
import { readConversations } from '../support/replay-node/recorded/conversations.ts'
import { openRecordings } from '../support/replay-node/recorded/recordings.ts'
import { type RecordedEvmChain, startRecordedEvmChain } from './recorded-evm-chain.ts'
import { toldBalances } from './told-balances.ts'

const recordings = openRecordings(FIXTURES)
const BLOCKS = 'network/c-blocks.ndjson.gz'
const READS = /"method":"eth_(call|getStorageAt)"/
/** The newest block that a node had settled when it was asked: contracts did not change behind it. */
const SETTLED = '0x25c'

let node: ReplayNode
let chain: RecordedEvmChain
beforeAll(async () => {
  // Recorded answers are what is compared, so they are not told.
  node = await startReplayNode({ facts: false, running: (_, method, params) => chain.running(method, params) })
  chain = await chainOf(node)
})
afterAll(async () => {
  await chain.stop()
  await node.stop()
})

const chainOf = ({ url }: ReplayNode): Promise<RecordedEvmChain> =>
  startRecordedEvmChain({
    replayUrl: `${url}/ext/bc/C/rpc`,
    chainId: 43_113,
    blocks: () => [...recordings.lines(BLOCKS)].map((line) => JSON.parse(line) as RecordedEvmBlock),
    tellsAccounts: false,
    balances: (_, recorded) => toldBalances(`${url}/ext/bc/C/rpc`, recorded, []),
  })

async function ask(body: string, of = node): Promise<unknown> {
  const answer = await fetch(`${of.url}/ext/bc/C/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return answer.json()
}

it('contracts of the recorded chain say what they said to who recorded it', async () => {
  const asked = readConversations(recordings, 'network-moment').flatMap(({ name, request, response }) =>
    request.body && READS.test(request.body) && !request.body.startsWith('[') && response.body
      ? [{ name, body: request.body, recorded: JSON.parse(response.body) as object }]
      : [],
  )
  const unknown: string[] = []
  for (const { name, body, recorded } of asked) {
    const told = await ask(body)
    if (JSON.stringify(told).includes('not found') || JSON.stringify(told).includes('do not tell')) unknown.push(name)
    else expect(told, name).toEqual(recorded)
  }
  expect(asked.length - unknown.length).toBeGreaterThan(20)
  // A state of before, and failures that each node words by itself.
  expect(unknown.map((name) => name.split('/').at(-1)).sort()).toEqual([
    'gas-below-intrinsic',
    'historical',
    'insufficient-funds',
    'tip-above-cap',
  ])
})

it('calls are made in the blocks as they were recorded, and in none of before the last change', async () => {
  // Returns NUMBER and TIMESTAMP.
  const data = '0x436000524260205260406000f3'
  const call = (block: string) =>
    ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data }, block] }))
  const word = (value: string) => BigInt(value).toString(16).padStart(64, '0')
  for (const [tag, height] of [['latest', 646] as const, [SETTLED, Number(SETTLED)] as const]) {
    const { number, timestamp } = (JSON.parse(recordings.lines(BLOCKS).text(height)) as RecordedEvmBlock).block
    expect(await call(tag)).toMatchObject({ result: `0x${word(number)}${word(timestamp)}` })
  }
  expect(await call('0x20')).toHaveProperty('error')
})

it('a chain whose balances were not recorded keeps nobody waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-no-traces-'))
  cpSync(join(FIXTURES, 'network'), join(folder, 'network'), {
    recursive: true,
    filter: (path) => !/c-traces|manifest-evm|conversations/.test(path),
  })
  const bare = await startReplayNode({
    recordings: folder,
    running: (_, method, params) => unmade.running(method, params),
  })
  const unmade = await chainOf(bare)
  try {
    const [creation] = [...recordings.lines(BLOCKS)]
      .flatMap((line) => (JSON.parse(line) as { receipts: { contractAddress?: string | null }[] }).receipts)
      .flatMap(({ contractAddress }) => contractAddress ?? [])
    const name = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: creation, data: '0x06fdde03' }, 'latest'] }
    expect(await ask(JSON.stringify(name), bare)).toMatchObject({
      error: { message: 'the recordings do not tell what the contract is called' },
    })
  } finally {
    await unmade.stop()
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
