import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HDKey } from '@scure/bip32'
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import { createStakeRewards, type StakeRewardsDeps } from '../../../src/services/stake-rewards/index.ts'
import type { Caller } from '../../../src/store/index.ts'
import { answerAll, evm, evmItem, post, scriptedChain, serveBalances } from '../../support/balances/balance-api.ts'
import { eventually } from '../../support/waiting/eventually.ts'

/** `get-rewards` over an index whose reads end with their caller, and for whom it was asked. */
async function startSilent() {
  const callers: (Caller | undefined)[] = []
  const ask = (caller: Caller | undefined): Promise<never> => {
    callers.push(caller)
    return new Promise((_, reject) =>
      caller?.signal.addEventListener('abort', () => reject(new CancelledError()), { once: true }),
    )
  }
  const index = {
    progress: async () => [{ stream: 'mainnet:P', tip: { height: 7n }, currentAtMs: 0n }],
    rewards: { sums: (_network: unknown, _addresses: unknown, caller?: Caller) => ask(caller) },
    activity: { last: (_chain: unknown, _addresses: unknown, caller?: Caller) => ask(caller) },
  } as unknown as StakeRewardsDeps['index']
  const stakeRewards = createStakeRewards({
    index,
    serves: () => true,
    isIndexed: (stream) => stream === 'mainnet:P',
    expectNetwork: async () => undefined,
    maxIndexAgeMs: 10_000,
    gap: 20,
    now: () => 0,
  })
  const errors: string[] = []
  const { url } = await serveBalances({ chains: [], stakeRewards, errorLog: (line) => errors.push(line) })
  return { callers, errors, port: Number(new URL(url).port) }
}

const { publicExtendedKey } = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))

it.each([
  { addresses: ['P-avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'], isTestnet: false },
  { extendedPublicKey: publicExtendedKey, isTestnet: false },
])('the index is told for whom rewards of %j are asked, and that he has left, which is no failure', async (body) => {
  const { callers, errors, port } = await startSilent()
  const text = JSON.stringify(body)
  const socket = connect(port, '127.0.0.1')
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`
  socket.write(`POST /v1/stake/get-rewards HTTP/1.1\r\n${head}\r\n\r\n${text}`)
  await eventually(() =>
    expect(callers).toEqual([{ clients: new Set(['127.0.0.1']), signal: expect.any(AbortSignal) }]),
  )
  expect(callers[0]?.signal.aborted).toBe(false)
  socket.destroy()
  await eventually(() => expect(callers[0]?.signal.aborted).toBe(true))
  await nextTurn()
  expect(errors).toEqual([])
})

it('a chain is told for whom balances are asked', async () => {
  const seen: unknown[] = []
  const chain = scriptedChain('eip155:1', 'evm', (accounts, context) => {
    seen.push(context.clients)
    return answerAll(() => evm(1n))(accounts, context)
  })
  const { url } = await serveBalances({ chains: [chain] })
  await post(url, { data: [evmItem([`0x${'ab'.repeat(20)}`], ['1'])] }).then((response) => response.text())
  expect(seen).toEqual([new Set(['127.0.0.1'])])
})
