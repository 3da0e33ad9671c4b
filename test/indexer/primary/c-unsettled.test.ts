import { expect, it } from 'vitest'
import { createCStream, type EvmLayer } from '../../../src/indexer/primary/c/stream.ts'
import type { StreamProgress } from '../../../src/store/rows/index.ts'

const DEFINITION = { kind: 'primary', name: 't:C', network: 't', testnet: true, chain: 'C', evmChainId: 1n } as const
const STORED: StreamProgress = { stream: 't:C', transactions: 0n, currentAtMs: 0n, state: '5 aa' }

const streamOf = (evm?: Partial<EvmLayer<object>>) =>
  createCStream({ definition: DEFINITION, ...(evm ? { evm } : {}) } as Parameters<typeof createCStream<object>>[0])

it('asks the EVM side of C what has to be written anew, with what is stored', async () => {
  const rewrite = { above: 7n, rows: {}, state: '5 bb' }
  const asked: unknown[] = []
  const unsettled = async (...told: unknown[]) => {
    asked.push(...told)
    return rewrite
  }
  const { signal } = new AbortController()
  expect(await streamOf({ unsettled }).unsettled?.(STORED, signal)).toBe(rewrite)
  expect(asked).toEqual([STORED, signal])
  expect(await streamOf().unsettled?.(STORED, signal)).toBeUndefined()
})
