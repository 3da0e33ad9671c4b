import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/errors.ts'
import type { ContainerRow } from '../../../src/store/index.ts'
import { describeStores } from '../../support/store/store.ts'
import { recordedRanges } from '../recorded-truth.ts'

const P = { network: 'recorded', letter: 'P' as const }
const id = (n: number): string => n.toString(16).padStart(64, '0')

describeStores('containers', (open) => {
  it('are found at the positions asked for, as far as they are there', async () => {
    const store = await open()
    const [range] = recordedRanges('P', 20)
    if (!range) throw new Error('nothing recorded')
    // 5 was read by height, from a node without an index.
    const containers: ContainerRow[] =
      range.rows.blocks?.flatMap(({ height }) => {
        const index = height - 1n
        if (height === 0n || index === 5n) return []
        return [
          {
            index,
            id: id(Number(index)),
            height,
            bytes: Buffer.from([0xab]),
            acceptedAt: '2026-11-20T11:09:36.160256894Z',
          },
        ]
      }) ?? []
    const stream = { name: 'recorded:P', kind: 'primary' as const, network: 'recorded', testnet: true }
    await store.writer.register({ ...stream, chain: 'P' })
    await store.writer.commitRange('recorded:P', { primary: { ...range.rows, containers } }, range.progress)
    const found = await store.reader.containers.atPositions(P, [12n, 5n, 3n, 400n])
    expect(found.sort((a, b) => Number(a.index - b.index))).toEqual(
      containers.filter(({ index }) => index === 3n || index === 12n),
    )
    expect(await store.reader.containers.atPositions(P, [])).toEqual([])
    expect(await store.reader.containers.count(P, 0n, 19n)).toBe(18n)
    const bytesOf = (some: typeof containers) => some.reduce((sum, { bytes }) => sum + BigInt(bytes.length), 0n)
    expect(await store.reader.containers.size(P, 4n, 5)).toBe(bytesOf(containers.slice(4, 9)))
    expect(await store.reader.containers.size(P, 400n, 5)).toBe(0n)
    // Ranges are in the turns of whoever asks.
    const gone = { clients: new Set(['a']), signal: AbortSignal.abort() }
    await expect(store.reader.containers.range(P, 4n, 5, gone)).rejects.toThrow(CancelledError)
    await expect(store.reader.containers.size(P, 4n, 5, gone)).rejects.toThrow(CancelledError)
  })
})
