import type { EvmMetadataChangeRow } from '../../store/rows/index.ts'

/** Branches that were left have been shorter than this, and changes of more tokens are forgotten. */
const BLOCKS = 1_024n
const MOST = 20_000

/**
 * Changes of metadata that the latest blocks told of. When those blocks are taken back, so is what they changed: what was
 * fetched because of them is of a state that never was, and has to be fetched once more.
 */
export function createRecentChanges() {
  let changes: readonly EvmMetadataChangeRow[] = []
  let dropped: readonly EvmMetadataChangeRow[] = []
  return {
    /** The stream goes on behind `height`; what was told of above it is taken back. */
    keep(height: bigint): void {
      dropped = [...dropped, ...changes.filter((change) => change.height > height)].slice(-MOST)
      changes = changes.filter((change) => change.height <= height)
    },
    /** What the blocks up to `height` tell of, together with what was taken back before them. */
    withDropped(told: readonly EvmMetadataChangeRow[], height: bigint): readonly EvmMetadataChangeRow[] {
      // If these blocks are never stored, or taken back too, it is still to be done.
      const all = [...dropped.map((change) => ({ ...change, height })), ...told]
      dropped = []
      changes = [...changes, ...all].filter((change) => change.height > height - BLOCKS).slice(-MOST)
      return all
    },
  }
}
