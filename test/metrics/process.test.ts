import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createProcessInstruments } from '../../src/metrics/process.ts'

const sizeOf = async (folders: string[]): Promise<number | undefined> => {
  const registry = new Registry()
  createProcessInstruments(registry, { version: '1', mode: 'all', folders })
  const gauge = await registry.getSingleMetric('firn_disk_size_bytes')?.get()
  return gauge?.values[0]?.value
}

it('tells of the disk that is nearest to full: an embedded database may have one of its own', async () => {
  const { blocks, bsize } = await statfs(tmpdir())
  const size = blocks * bsize
  expect(await sizeOf([tmpdir()])).toBe(size)
  // A file system of the kernel that has no blocks at all: nothing is fuller.
  expect(await sizeOf([tmpdir(), '/proc'])).toBe(0)
  expect(await sizeOf(['/proc', tmpdir()])).toBe(0)
  expect(await sizeOf([tmpdir(), join(tmpdir(), 'not', 'made', 'yet')])).toBe(size)
})
