import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { FIXTURES } from '../../recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../index.ts'

const [COMMITTED, PROPOSED] = ['11', '22'].map((byte) => idToCb58(byte.repeat(32)))
const LAST_HEIGHT = 371
const utxo = encodeNodeHex(Buffer.from('00'.repeat(40), 'hex'))

let folder: string
let node: ReplayNode
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firn-renewed-rewards-'))
  const network = join(folder, 'network')
  mkdirSync(join(network, 'truth'), { recursive: true })
  const files = ['network.json', 'genesis.json', 'platform-state.json', 'p-blocks.ndjson.gz', 'truth/stakers.ndjson.gz']
  for (const name of files) cpSync(join(FIXTURES, 'network', name), join(network, name))
  const rewardUTXOs = { numFetched: '1', utxos: [utxo], encoding: 'hex' }
  const lines = [
    { id: COMMITTED, height: LAST_HEIGHT - 1, hex: '0x', rewardUTXOs },
    { id: PROPOSED, height: LAST_HEIGHT, hex: '0x', rewardUTXOs },
  ]
  writeFileSync(join(network, 'p-txs.ndjson.gz'), gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  node = await startReplayNode({ recordings: folder, facts: false })
})
afterAll(async () => {
  await node?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function rewardsOf(txID: string | undefined): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'platform.getRewardUTXOs', params: { txID } })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/ext/bc/P`, { method: 'POST', body, headers })
  return ((await answer.json()) as { result: unknown }).result
}

it('tells what a renewed period has paid, which stands under its proposal and not under a stake, once that is committed', async () => {
  expect(await rewardsOf(COMMITTED)).toEqual({ numFetched: '1', utxos: [utxo], encoding: 'hex' })
  expect(await rewardsOf(PROPOSED)).toEqual({ numFetched: '0', utxos: [], encoding: 'hex' })
})
