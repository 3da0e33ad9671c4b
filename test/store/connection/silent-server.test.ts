import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openStore, StoreUnavailableError } from '../../../src/store/index.ts'
import { useServerStores } from '../../support/store/server-stores.ts'
import { commit, registerAll, tipAt } from '../write/range-samples.ts'
import { startSilencer } from './silencer.ts'

const { server } = useServerStores()
const never = new AbortController().signal

// Both wait most of the time.
it.for(['session', 'lease'] as const)(
  'a leader by %s whose server falls silent leaves what it wrote there, and goes on',
  { concurrent: true },
  async (leader, { onTestFinished }) => {
    const url = await server().create(`silent_${leader}`)
    const between = await startSilencer(Number(new URL(url).port))
    onTestFinished(() => between.close())
    const databaseUrl = url.replace(/:\d+\//, `:${between.port}/`)
    const store = openStore({ databaseUrl, dataDir: '', logger: pino({ level: 'silent' }), leader })
    onTestFinished(() => store.close())
    await registerAll(store)
    const first = await store.writer.lead(never)
    // Two at a time, so that one connection has nothing to do when the server falls silent.
    await Promise.all(['testnet:P', 'testnet:X'].map((name) => commit(store, name, 0, {})))
    between.silence()
    between.refuse(true)
    await expect(commit(store, 'testnet:P', 1, {})).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(first.lost.aborted).toBe(true)
    between.refuse(false)
    await first.release()
    const again = await store.writer.lead(never)
    await commit(store, 'testnet:P', 1, {})
    await store.writer.confirmTip('testnet:P', tipAt(1))
    await again.release()
  },
)
