import type { PrimaryRows, RangeProgress } from '../../../src/store/index.ts'
import { block, output, range, spend } from './range-samples.ts'

/** A chain in which each block makes two outputs and consumes the first one of the block before. */
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
