import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { evmEffects } from '../../../src/indexer/evm/evm-effects.ts'
import type { RpcBlock, RpcReceipt } from '../../../src/indexer/evm/rpc-block.ts'

interface Recorded {
  block: RpcBlock
  receipts: RpcReceipt[]
}

/** The precompile of L1s that makes their coin. */
const MINTER = '0x0200000000000000000000000000000000000001'

const blocks = gunzipSync(readFileSync(new URL('../../fixtures/l1/l1-blocks.ndjson.gz', import.meta.url)))
  .toString()
  .split('\n')
  .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Recorded]))

const participants = ({ block, receipts }: Recorded): (string | undefined)[] =>
  (evmEffects([{ block, receipts, names: new Map() }], 0n).rows.participants ?? []).map((row) => row.address)

it('whom the coin of an L1 is minted to takes part, without any trace', () => {
  const minting = blocks.filter(({ receipts }) =>
    receipts.some(({ logs }) => logs.some((log) => log.address === MINTER)),
  )
  expect(minting).toHaveLength(1)
  expect(participants(minting[0] as Recorded)).toEqual([
    '077887c80130f5ed7d789960585f5d4c2174dbed',
    MINTER.slice(2),
    '8861de25c8e1a5c4369d3a8fd6d75ca6efdd666d',
  ])
})

it('what another contract logs in these words mints nothing', () => {
  const [minting] = blocks.filter(({ receipts }) =>
    receipts.some(({ logs }) => logs.some((log) => log.address === MINTER)),
  )
  const { block, receipts } = minting as Recorded
  const alike = receipts.map((receipt) => ({
    ...receipt,
    logs: receipt.logs.map((log) => ({ ...log, address: MINTER.replace(/1$/, '2') })),
  }))
  expect(participants({ block, receipts: alike })).not.toContain('8861de25c8e1a5c4369d3a8fd6d75ca6efdd666d')
})
