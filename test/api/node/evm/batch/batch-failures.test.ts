import { expect, it, onTestFinished, vi } from 'vitest'
import { createEvmBatches, type EvmBatchesDeps } from '../../../../../src/api/node/evm/batch/batches.ts'
import type { EvmCall } from '../../../../../src/api/node/evm/call.ts'
import { PRIMARY } from '../../../../../src/api/node/routes/endpoint.ts'
import { CancelledError, UpstreamUnavailableError } from '../../../../../src/errors.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'

const endpoint = PRIMARY.C.get('rpc') as NonNullable<ReturnType<typeof PRIMARY.C.get>>
const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })
const result = (id: number) => ({ jsonrpc: '2.0', id, result: '0x7' })
const answerWith = (value: unknown) => ({ status: 200, body: Buffer.from(JSON.stringify(value)) })

/** @param together what the first node says to calls that travel together; an error: nothing */
async function ask(body: Buffer, single: EvmBatchesDeps['single'], together: unknown = []): Promise<unknown> {
  const reads = {
    tip: () => ({ mark: () => undefined }),
    learnEnds: async () => undefined,
    settleReceipts: async () => undefined,
    ask: async () => {
      if (together instanceof Error) throw together
      return answerWith(together)
    },
    find: () => undefined,
  }
  const batches = createEvmBatches({
    reads: reads as never,
    kept: { find: () => undefined, keep: () => undefined, moment: () => ({ mark: undefined, epoch: 0 }) },
    single,
    isAlone: ({ method }) => method !== 'eth_call',
    isWrite: (method) => method === 'write',
    hostsOf: () => ['a', 'b'],
  })
  const { signal } = new AbortController()
  const request = { endpoint, body, contentType: undefined, signal }
  return JSON.parse(String((await batches.answer(request, 0)).body))
}

it('what is still asked when the answer is out keeps its bytes: the memory of the body is the next client’s then', async () => {
  const body = Buffer.from(JSON.stringify([call(1, 'write'), call(2, 'fails'), call(3, 'hangs')]))
  let hanging: EvmCall | undefined
  const answer = await ask(body, async (asked) => {
    if (asked.message.method === 'write') return answerWith(result(1))
    if (asked.message.method === 'fails') throw new UpstreamUnavailableError('nobody there')
    hanging = asked
    return new Promise(() => undefined)
  })
  expect(answer).toMatchObject([{ result: '0x7' }, { error: {} }, { error: {} }])
  body.fill('x')
  expect(JSON.parse(String(hanging?.body))).toEqual(call(3, 'hangs'))
  expect([String(hanging?.message.id), String(hanging?.message.params)]).toEqual(['3', '[]'])
})

it('calls whose turn comes only after the answer is out are still the calls of the batch, though its memory is the next client’s', async () => {
  const waiting = Array.from({ length: 9 }, (_, index) => call(index + 3, 'alone'))
  const body = Buffer.from(JSON.stringify([call(1, 'write'), call(2, 'eth_call'), ...waiting]))
  const asked: Parameters<EvmBatchesDeps['single']>[0][] = []
  let answered = (): void => undefined
  const single: EvmBatchesDeps['single'] = (one) => {
    if (one.message.method === 'write') return Promise.resolve(answerWith(result(1)))
    asked.push(one)
    return new Promise((resolve) => {
      answered = () => resolve(answerWith(result(3)))
    })
  }
  await ask(body, single, new UpstreamUnavailableError('nobody there'))
  body.fill('x')
  answered()
  await eventually(() => expect(asked).toHaveLength(waiting.length))
  expect(asked.map((one) => JSON.parse(String(one.body)))).toEqual(waiting)
  expect(asked.map(({ message }) => `${message.id} ${message.params}`)).toEqual(waiting.map(({ id }) => `${id} []`))
})

it('one call that no other node answers does not take away what others have answered', async () => {
  const without = (id: number) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'header not found' } })
  const body = Buffer.from(JSON.stringify([call(1, 'eth_call'), call(2, 'eth_call')]))
  const single: EvmBatchesDeps['single'] = async ({ message }) => {
    if (String(message.id) === '2') throw new UpstreamUnavailableError('nobody there')
    return answerWith(result(1))
  }
  expect(await ask(body, single, [without(1), without(2)])).toEqual([result(1), without(2)])
})

it('what is asked of other nodes has the time of one call together, however many calls the first node could not answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const ids = Array.from({ length: 20 }, (_, id) => id)
  const without = ids.map((id) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'header not found' } }))
  let asked = 0
  const single: EvmBatchesDeps['single'] = ({ message, signal }) => {
    asked += 1
    if (String(message.id) === '0') return Promise.resolve(answerWith(result(0)))
    // Those behind the end are not sent, as by a pool.
    return new Promise((_, reject) => {
      const leave = () => reject(new CancelledError())
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave)
      setTimeout(() => reject(new UpstreamUnavailableError('no answer in time')), 25_000)
    })
  }
  const answer = ask(Buffer.from(JSON.stringify(ids.map((id) => call(id, 'eth_call')))), single, without)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await answer).toEqual([result(0), ...without.slice(1)])
  expect(asked).toBe(20)
})

it('what is no answer but a refusal of something in front of a node is none of the chain’s errors: clients ask again', async () => {
  const body = Buffer.from(JSON.stringify([call(1, 'alone'), call(2, 'other')]))
  const answer = await ask(body, async ({ message: { method } }) =>
    method === 'alone' ? { status: 400, body: Buffer.from('refused') } : answerWith(result(2)),
  )
  expect(answer).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'status 400 instead of an answer' } },
    result(2),
  ])
})
