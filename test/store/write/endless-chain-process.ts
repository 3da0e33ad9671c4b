import { pino } from 'pino'
import { openStore } from '../../../src/store/index.ts'
import { chainRange } from './endless-chain.ts'
import { registerAll } from './range-samples.ts'

/*
 * Writes ranges of an endless chain into the store of a folder and prints each height that was acknowledged, until it is
 * killed: node endless-chain-process.mjs <folder>
 */
const [dataDir = ''] = process.argv.slice(2)
const store = openStore({ dataDir, logger: pino({ level: 'silent' }) })
await registerAll(store)
const tip = (await store.reader.progress())[0]?.tip?.height
for (let from = Number(tip ?? -1n) + 1; ; from += 20) {
  const { rows, progress } = chainRange(from, 20)
  await store.writer.commitRange('testnet:P', { primary: rows }, progress)
  process.stdout.write(`${progress.height}\n`)
}
