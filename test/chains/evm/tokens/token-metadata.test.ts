import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvmReader, createTokenMetadataReader, evmLimits } from '../../../../src/chains/evm/index.ts'
import { decodeDecimals, decodeText } from '../../../../src/chains/evm/tokens/token-text.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../../src/errors.ts'
import { type Anvil, startAnvil } from '../../../support/evm/anvil.ts'
import { createRpcPool, type Interceptor } from '../../../support/upstream/rpc-pool.ts'

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
const hex = (text: string): string => Buffer.from(text).toString('hex')

describe('answers of tokens', () => {
  it.each([
    ['an ABI string', word(32) + word(3) + hex('DAI').padEnd(64, '0'), 'DAI'],
    ['bytes32', hex('MKR').padEnd(64, '0'), 'MKR'],
    ['a string cut by the cap', word(32) + word(1_000) + hex('N'.repeat(100)), 'N'.repeat(20)],
    ['a length beyond all memory', word(32) + word(2n ** 255n), undefined],
    ['an offset to elsewhere', word(2n ** 255n) + word(3) + hex('DAI'), undefined],
    ['an empty string', word(32) + word(0), undefined],
    ['only invisible characters', word(32) + word(3) + hex('\u200b').padEnd(64, '0'), undefined],
    ['less than a word', 'ff', undefined],
    ['nothing', '', undefined],
  ])('%s', (_, answer, text) => {
    expect(decodeText(bytes(answer), 20)).toBe(text)
  })

  it('decimals are 0 to 255', () => {
    expect([0, 18, 255, 256, 2n ** 256n - 1n].map((value) => decodeDecimals(bytes(word(value))))).toEqual([
      0,
      18,
      255,
      undefined,
      undefined,
    ])
    expect(decodeDecimals(bytes('12'))).toBeUndefined()
  })
})

describe('on a chain', () => {
  let anvil: Anvil
  beforeAll(async () => {
    anvil = await startAnvil()
  })
  afterAll(() => anvil.stop())
  const context = () => ({ signal: new AbortController().signal, deadline: Date.now() + 20_000 })
  const readerOver = (intercept?: Interceptor, limits = {}) => {
    const pool = createRpcPool(anvil.url, intercept)
    const metadata = createTokenMetadataReader(createEvmReader({ caip2Id: 'eip155:31337', pool }), {
      ...evmLimits,
      ...limits,
    })
    return { pool, metadata }
  }

  it('gives up on a name that no gas limit pays for, and keeps the rest', async () => {
    const token = await anvil.deploy('LoopingToken')
    const { pool, metadata } = readerOver(undefined, { retryMetadataGas: 90_000_000 })
    expect((await metadata.read([token], context(), 0n)).told).toEqual(new Map([[token, { symbol: 'LOOP' }]]))
    await pool.close()
  })

  it('asks in smaller calls when an answer is too large', async () => {
    const tokens: string[] = []
    for (let n = 0; n < 3; n++) tokens.push(await anvil.deploy('Bytes32Token'))
    const { pool, metadata } = readerOver(({ params }) => {
      const { data = '' } = params[0] as { data?: string }
      if (data.length > 1_060) throw new JsonRpcError('response too large', -32000)
      return undefined
    })
    const read = await metadata.read(tokens, context(), 0n)
    const told = { name: 'Maker Lookalike', symbol: 'MKRL', decimals: 18 }
    expect([...read.told.values()]).toEqual([told, told, told])
    await pool.close()
  })

  it('does not remember what a server left out that stood at an earlier block', async () => {
    const token = await anvil.deploy('Bytes32Token')
    const since = BigInt(await anvil.rpc('eth_blockNumber'))
    const still = await startAnvil({ chainId: anvil.chainId })
    let stuck = true
    const { pool, metadata } = readerOver(() => (stuck ? still.url : undefined))
    expect((await metadata.read([token], context(), since)).told).toEqual(new Map([[token, {}]]))
    stuck = false
    expect((await metadata.read([token], context(), since)).told.get(token)?.symbol).toBe('MKRL')
    await pool.close()
    await still.stop()
  })

  it('is an error, not "no name", when the chain cannot be asked; and is not remembered', async () => {
    const token = await anvil.deploy('Bytes32Token')
    let broken = true
    const { pool, metadata } = readerOver(() => {
      if (broken) throw new UpstreamUnavailableError('connection cut')
      return undefined
    })
    const { told, trouble } = await metadata.read([token], context(), 0n)
    expect([told.size, trouble?.message]).toEqual([0, 'connection cut'])
    broken = false
    expect((await metadata.read([token], context(), 0n)).told.get(token)?.symbol).toBe('MKRL')
    await pool.close()
  })
})
