import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { balanceRoutes } from '../../../src/api/data/primary/balances.ts'
import { lastActivityRoutes } from '../../../src/api/data/primary/last-activity.ts'
import { type UtxoDeps, utxoRoutes } from '../../../src/api/data/primary/utxos.ts'
import type { Caller } from '../../../src/store/index.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { COMPLETE, owner, P, PRIMARY_PROGRESS } from './asked-index.ts'
import { startDataApi } from './data-app.ts'

/** The indexed API over an index that answers nothing, and for whom it was asked. */
async function startSilent() {
  const callers: (Caller | undefined)[] = []
  const ask = (caller: Caller | undefined): Promise<never> => {
    callers.push(caller)
    return new Promise(() => undefined)
  }
  const deps = {
    ...COMPLETE,
    index: {
      progress: PRIMARY_PROGRESS,
      utxos: { list: ({ caller }: { caller?: Caller }) => ask(caller) },
      balances: { groups: ({ caller }: { caller?: Caller }) => ask(caller) },
      activity: { last: (_chain: unknown, _addresses: unknown, caller?: Caller) => ask(caller) },
    },
  } as unknown as UtxoDeps
  const app = await startDataApi([
    ...utxoRoutes(deps),
    ...balanceRoutes({ ...deps, edge: 'strict' }),
    ...lastActivityRoutes(deps),
  ])
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { callers, port: (app.server.address() as { port: number }).port }
}

it.each([
  `utxos?addresses=${owner(1)}`,
  `balances?addresses=${owner(1)}`,
  `lastActivityTimestampByAddresses?addresses=${owner(1)}`,
])('the index is told for whom %s is asked, and that he has left', async (path) => {
  const { callers, port } = await startSilent()
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${P}/${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await eventually(() =>
    expect(callers).toEqual([{ clients: new Set(['127.0.0.1']), signal: expect.any(AbortSignal) }]),
  )
  expect(callers[0]?.signal.aborted).toBe(false)
  socket.destroy()
  await eventually(() => expect(callers[0]?.signal.aborted).toBe(true))
})
