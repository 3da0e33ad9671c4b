import { pino } from 'pino'
import { openStore } from '../../src/store/index.ts'
import { createUpstreamPool } from '../../src/upstream/index.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { makeIndexer } from './stage.ts'
import { storeAt } from './store-at.ts'

/*
 * An indexer as a process of its own, to be killed, as a bundle (`bundle.mjs`): node indexer.mjs <folder or database URL> <pageBlocks> <url>…
 * Writes the heights of P, X and C to standard output whenever they change, and `following` once all are at the tip.
 */
const [place = '', pageBlocks = '16', ...urls] = process.argv.slice(2)
const store = openStore({ ...storeAt(place), logger: pino({ level: 'silent' }) })
await store.open()
const pool = createUpstreamPool(
  'recorded',
  urls.map((url) => ({ url })),
  TEST_LIMITS,
)
const indexer = makeIndexer({ pageBlocks: Number(pageBlocks), evm: 'required' }, pool, store)
indexer.start()
let told = ''
setInterval(() => {
  const { streams } = indexer.status()
  const heights = streams.map(({ height }) => Number(height ?? -1)).join()
  const following = streams.every(({ phase, height, tip }) => phase === 'following' && height === tip)
  const blocked = streams.find(({ phase }) => phase === 'blocked')
  const text = blocked ? `blocked ${blocked.error}` : `${following ? 'following' : 'working'} ${heights}`
  if (text !== told) process.stdout.write(`${text}\n`)
  told = text
}, 10)
