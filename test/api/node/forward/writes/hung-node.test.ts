import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { forwardWrite } from '../../../../../src/api/node/forward/writes/writes.ts'
import { PRIMARY } from '../../../../../src/api/node/routes/endpoint.ts'
import type { RawRequest, RawResponse } from '../../../../../src/upstream/index.ts'
import { gate } from '../../../../support/waiting/gate.ts'
import { evmCall, NONE_LATE, posted } from '../../fake-nodes.ts'

const raw = '0x02f8aabbccdd'
const hash = `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`
const endpoint = PRIMARY.C.get('rpc') as NonNullable<ReturnType<typeof PRIMARY.C.get>>

/** A write, sent to nodes that answer as told; a node that was not answered for five seconds is so at once here. */
function startWrite(method: string, answers: ((body: string) => Promise<string>)[]) {
  const real = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number) =>
    real(work, ms === 5_000 ? 0 : ms)) as never)
  onTestFinished(() => void vi.restoreAllMocks())
  const asked: string[] = []
  const members = answers.map((answer, index) => ({
    path: () => '',
    pausedUntil: () => 0,
    pool: {
      exchange: async ({ body }: RawRequest): Promise<RawResponse> => {
        const text = String(body)
        asked.push(`${index} ${/"method":"(\w+)"/.exec(text)?.[1]}`)
        return { status: 200, headers: {}, body: Buffer.from(await answer(text)), host: String(index) }
      },
    },
  }))
  const params = `["${raw}"]`
  const call = {
    endpoint,
    rule: { target: 'write' } as const,
    method,
    params: Buffer.from(params),
    id: Buffer.from('1'),
    http: posted(evmCall(method, params)),
    signal: new AbortController().signal,
  }
  const group = { members: () => members, pool: members[0]?.pool } as unknown as NodeGroup
  const said = forwardWrite(call, group, 'one', NONE_LATE).then(({ body, host }) => `${host}: ${body}`)
  return { said, asked }
}

const result = `{"jsonrpc":"2.0","id":1,"result":"${hash}"}`
const error = (message: string) => `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"${message}"}}`
const never = () => new Promise<string>(() => undefined)

it('a transaction that a node leaves unanswered goes to the next one meanwhile, whose success counts', async () => {
  const { said, asked } = startWrite('eth_sendRawTransaction', [never, async () => result, never])
  expect(await said).toBe(`1: ${result}`)
  expect(asked).toEqual(['0 eth_sendRawTransaction', '1 eth_sendRawTransaction'])
})

it('the first node’s success counts, though the second one has refused the transaction', async () => {
  const refused = gate()
  const { said, asked } = startWrite('eth_sendRawTransaction', [
    () => refused.opened.then(() => result),
    async (body) => {
      if (!body.includes('eth_getTransactionByHash')) return error('nonce too low')
      refused.open()
      return '{"jsonrpc":"2.0","id":1,"result":null}'
    },
    never,
  ])
  expect(await said).toBe(`0: ${result}`)
  expect(asked).toEqual(['0 eth_sendRawTransaction', '1 eth_sendRawTransaction', '1 eth_getTransactionByHash'])
})

it('where both refuse it, the first one’s words are told', async () => {
  const unknown = '{"jsonrpc":"2.0","id":1,"result":null}'
  const refused = gate()
  const { said } = startWrite('eth_sendRawTransaction', [
    async (body) => {
      if (body.includes('eth_getTransactionByHash')) return unknown
      await refused.opened
      return error('insufficient funds')
    },
    async (body) => {
      if (!body.includes('eth_getTransactionByHash')) return error('nonce too low')
      refused.open()
      return unknown
    },
  ])
  expect(await said).toBe(`0: ${error('insufficient funds')}`)
})

it.each([0, 1])('what one has from the other is known to it, and a success (%s says so)', async (teller) => {
  const asked = gate()
  const knows = async (body: string) => {
    if (body.includes('eth_getTransactionByHash')) return `{"jsonrpc":"2.0","id":1,"result":{"hash":"${hash}"}}`
    if (teller === 0) await asked.opened
    return error('already known')
  }
  const hangs = () => {
    asked.open()
    return never()
  }
  const { said } = startWrite('eth_sendRawTransaction', teller === 0 ? [knows, hangs] : [hangs, knows])
  expect(await said).toBe(`${teller}: ${result}\n`)
})

it('the refusal of the second is told when the first fails after all', async () => {
  const refused = gate()
  const { said } = startWrite('eth_sendRawTransaction', [
    () => refused.opened.then(() => Promise.reject(new Error('cut'))),
    async (body) => {
      if (!body.includes('eth_getTransactionByHash')) return error('nonce too low')
      refused.open()
      return '{"jsonrpc":"2.0","id":1,"result":null}'
    },
  ])
  expect(await said).toBe(`1: ${error('nonce too low')}`)
})
