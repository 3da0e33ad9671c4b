import { lstat, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createListCache } from '../../../src/market/tokens/list-cache.ts'

const URL = 'https://lists.test/a.json'

/** A kept list whose file is on another disk. */
async function keptElsewhere() {
  const folder = await mkdtemp(join(tmpdir(), 'firn-lists-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const dir = join(folder, 'cache')
  const cache = createListCache(dir)
  await cache.write(URL, { body: '{"tokens":[]}', etag: '"1"' })
  const [name = ''] = await readdir(dir)
  const disk = join(folder, 'disk')
  const path = join(dir, name)
  await rename(path, disk)
  await utimes(disk, 1_700_000_000, 1_700_000_000)
  await symlink(disk, path)
  return { cache, path, disk }
}

it('a kept list outlives a read that fails, with its age', async () => {
  const { cache, disk } = await keptElsewhere()
  const kept = { body: '{"tokens":[]}', etag: '"1"', fetchedAt: 1_700_000_000_000 }
  expect(await cache.read(URL)).toEqual(kept)
  await rename(disk, `${disk}.away`)
  expect(await cache.read(URL)).toBeUndefined()
  await rename(`${disk}.away`, disk)
  expect(await cache.read(URL)).toEqual(kept)
})

it('a damaged one is deleted', async () => {
  const { cache, path, disk } = await keptElsewhere()
  await writeFile(disk, '{"sha256":"no"}\n{}')
  expect(await cache.read(URL)).toBeUndefined()
  await expect(lstat(path)).rejects.toThrow('ENOENT')
})
