import { pino } from 'pino'
import { openStore, type PrimaryRows, type RangeProgress } from '../../../src/store/index.ts'
import { block, output, range, registerAll, spend } from './range-samples.ts'

/**
 * A chain in which each block makes two outputs and consumes the first one of the block before.
 * Run with a folder, it writes ranges of it into the store there for ever and prints each height that was acknowledged.
 */
export function chainRange(from: number, blocks: number): { rows: PrimaryRows; progress: RangeProgress } {
  const heights = Array.from({ length: blocks }, (_, index) => from + index)
  return {
    rows: {
      blocks: heights.map((height) => block(height)),
      utxos: heights.flatMap((height) => [
        output(1_000_000 + height, height),
        output(1_000_000 + height, height, { outputIndex: 1 }),
      ]),
      spends: heights.filter((height) => height > 0).map((height) => spend(1_000_000 + height - 1, height, height)),
    },
    progress: range(from, from + blocks - 1),
  }
}

const folder = process.argv[1]?.endsWith('endless-chain.ts') === true ? process.argv[2] : undefined
if (folder !== undefined) {
  const store = openStore({ dataDir: folder, logger: pino({ level: 'silent' }) })
  await registerAll(store)
  const tip = (await store.reader.progress())[0]?.tip?.height
  for (let from = Number(tip ?? -1n) + 1; ; from += 20) {
    const { rows, progress } = chainRange(from, 20)
    await store.writer.commitRange('testnet:P', { primary: rows }, progress)
    process.stdout.write(`${progress.height}\n`)
  }
}
