/** What an atomic transaction does to an EVM account, in the asset's own units. */
export interface AtomicTransfer {
  /** Hex of the account, with 0x. */
  account: string
  /** Positive for imports, negative for exports. */
  amount: bigint
  /** Hex of the asset's 32 bytes. */
  asset: string
  /** Nonce the account has afterwards; only exports change it. */
  nonceAfter: bigint | undefined
}

interface Reader {
  skip(bytes: number): void
  u32(): number
  u64(): bigint
  hex(bytes: number): string
}

function createReader(bytes: Buffer): Reader {
  let at = 0
  const take = (size: number): Buffer => {
    if (at + size > bytes.length) throw new RangeError('the atomic transactions end early')
    at += size
    return bytes.subarray(at - size, at)
  }
  return {
    skip: (size) => void take(size),
    u32: () => take(4).readUInt32BE(0),
    u64: () => take(8).readBigUInt64BE(0),
    hex: (size) => take(size).toString('hex'),
  }
}

function skipInputs(reader: Reader): void {
  for (let count = reader.u32(); count > 0; count--) {
    // Transaction id, output index, asset, type, amount: then the signature indices.
    reader.skip(32 + 4 + 32 + 4 + 8)
    reader.skip(4 * reader.u32())
  }
}

function skipOutputs(reader: Reader): void {
  for (let count = reader.u32(); count > 0; count--) {
    // Asset, type, amount, locktime, threshold: then the addresses.
    reader.skip(32 + 4 + 8 + 8 + 4)
    reader.skip(20 * reader.u32())
  }
}

function skipCredentials(reader: Reader): void {
  for (let count = reader.u32(); count > 0; count--) {
    reader.skip(4)
    reader.skip(65 * reader.u32())
  }
}

function readImport(reader: Reader, transfers: AtomicTransfer[]): void {
  skipInputs(reader)
  for (let count = reader.u32(); count > 0; count--) {
    const account = `0x${reader.hex(20)}`
    const amount = reader.u64()
    transfers.push({ account, amount, asset: reader.hex(32), nonceAfter: undefined })
  }
}

function readExport(reader: Reader, transfers: AtomicTransfer[]): void {
  for (let count = reader.u32(); count > 0; count--) {
    const account = `0x${reader.hex(20)}`
    const amount = -reader.u64()
    transfers.push({ account, amount, asset: reader.hex(32), nonceAfter: reader.u64() + 1n })
  }
  skipOutputs(reader)
}

/**
 * Reads a block's `blockExtraData`: codec version, then a list of imports (type 0) and exports (type 1), as
 * C-chain blocks carry them.
 */
export function readAtomicTransfers(blockExtraData: string): AtomicTransfer[] {
  const bytes = Buffer.from(blockExtraData.slice(2), 'hex')
  const transfers: AtomicTransfer[] = []
  if (bytes.length === 0) return transfers
  const reader = createReader(bytes)
  reader.skip(2)
  for (let count = reader.u32(); count > 0; count--) {
    const type = reader.u32()
    // Network, blockchain, the chain on the other side.
    reader.skip(4 + 32 + 32)
    if (type === 0) readImport(reader, transfers)
    else readExport(reader, transfers)
    skipCredentials(reader)
  }
  return transfers
}
