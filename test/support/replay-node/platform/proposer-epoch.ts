import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import type { RecordedChain } from '../recorded/recorded-chain.ts'
import { NotRecordedError } from '../wire/gorilla-rpc.ts'

/** For how long which P-chain height says who validates (ACP-181); seconds since 1970. */
interface Epoch {
  number: bigint
  startTime: bigint
  pChainHeight: bigint
}

/** What an envelope says of when its block was proposed; the first one of a chain has no epoch. */
interface Proposal {
  time: bigint
  pChainHeight: bigint
  epoch: Epoch | undefined
}

/** Types of envelopes, as they stand behind the codec's version. */
const PLAIN = 0
const OPTION = 1
const GRANITE = 2

const HEAD = 6 + 32

function readProposal(bytes: Buffer): Proposal | 'option' | undefined {
  if (bytes.readUInt16BE(0) !== 0) return undefined
  const type = bytes.readUInt32BE(2)
  if (type === OPTION) return 'option'
  if (type !== PLAIN && type !== GRANITE) return undefined
  let at = HEAD
  const u64 = (): bigint => {
    at += 8
    return bytes.readBigUInt64BE(at - 8)
  }
  const skipBlob = (): void => {
    at += 4 + bytes.readUInt32BE(at)
  }
  const time = u64()
  const height = u64()
  if (type === PLAIN) return { time, pChainHeight: height, epoch: undefined }
  // The certificate, and the block in the envelope.
  skipBlob()
  skipBlob()
  const epoch = { pChainHeight: u64(), number: u64(), startTime: u64() }
  return { time, pChainHeight: height, epoch }
}

/** Of the newest block; an option stands in the proposal before it. */
function newestProposal(chain: RecordedChain): Proposal | undefined {
  for (let index = chain.containers() - 1; index >= 0; index--) {
    const bytes = chain.container(index)?.bytes
    const read = bytes === undefined ? undefined : readProposal(decodeNodeHex(bytes))
    if (read !== 'option') return read
  }
  return undefined
}

/**
 * The epoch of the block that would come next: one that was proposed after the end of its epoch was the last of it.
 * Throws NotRecordedError where no block has an envelope yet.
 */
export function nextEpoch(chain: RecordedChain, seconds: bigint): Epoch {
  const newest = newestProposal(chain)
  if (newest === undefined) throw new NotRecordedError('no block of this chain has an envelope')
  const { time, pChainHeight, epoch } = newest
  if (epoch !== undefined && time < epoch.startTime + seconds) return epoch
  return { number: (epoch?.number ?? 0n) + 1n, startTime: time, pChainHeight }
}
