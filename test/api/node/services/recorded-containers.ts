import { bytesToHex, hexToBytes, idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import type { Container, ContainerIndex, ContainerSource } from '../../../../src/services/containers/index.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

interface Line {
  container: { id: string; bytes: string; timestamp: string; index: string } | null
}

const FILES: Partial<Record<ContainerIndex, string>> = {
  'P/block': 'p-blocks',
  'X/block': 'x-blocks',
  'C/block': 'c-blocks',
}

const readContainers = (file: string): Container[] =>
  recordedLines<Line>(file).flatMap(({ container }) =>
    container === null
      ? []
      : [
          {
            id: hexToBytes(idFromCb58(container.id)),
            bytes: decodeNodeHex(container.bytes),
            timestamp: container.timestamp,
            index: BigInt(container.index),
          },
        ],
  )

/** The containers of the recorded network; what a chain's transactions and vertices were is not recorded: empty. */
export interface RecordedContainers extends ContainerSource {
  /** Unix milliseconds: later containers are not accepted yet. */
  at: number
  isComplete: boolean
}

/** A source held in memory, over the recorded containers of all three chains. */
export function recordedContainers(): RecordedContainers {
  const all = new Map(Object.entries(FILES).map(([index, file]) => [index, readContainers(file)] as const))
  const accepted = (index: ContainerIndex): readonly Container[] =>
    (all.get(index) ?? []).filter(({ timestamp }) => Date.parse(timestamp) <= source.at)
  const find = (index: ContainerIndex, id: string): Container | undefined =>
    accepted(index).find((container) => bytesToHex(container.id) === id)
  const source: RecordedContainers = {
    at: Number.POSITIVE_INFINITY,
    isComplete: true,
    complete: async () => source.isComplete,
    current: async () => true,
    byIndex: async (index, position) => accepted(index)[Number(position)],
    byId: async (index, id) => find(index, id),
    range: async (index, from, count) => accepted(index).slice(Number(from), Number(from) + count),
    size: async (index, from, count) =>
      accepted(index)
        .slice(Number(from), Number(from) + count)
        .reduce((sum, { bytes }) => sum + BigInt(bytes.length), 0n),
    lastAccepted: async (index) => accepted(index).at(-1),
    indexOf: async (index, id) => find(index, id)?.index,
  }
  return source
}
