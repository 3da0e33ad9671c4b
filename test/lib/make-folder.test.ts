import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder, makeFolderNow } from '../../src/lib/make-folder.ts'

describe.each([
  ['waited for', makeFolder],
  ['at once', async (path: string) => makeFolderNow(path)],
])('a folder that is made, %s', (_, make) => {
  const place = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-make-folder-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  it('is there with those above it, however often and by however many it is made', async () => {
    const folder = join(place(), 'a/b/c')
    await Promise.all([make(folder), make(folder), make(join(folder, 'd'))])
    await make(`${folder}/`)
    expect(statSync(join(folder, 'd')).isDirectory()).toBe(true)
  })

  it('is refused where a file is in the way', async () => {
    const file = join(place(), 'file')
    writeFileSync(file, '')
    await expect(make(join(file, 'a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(make(file)).rejects.toMatchObject({ code: 'EEXIST' })
  })

  // Below /proc nothing can be made, and the system says that something above it is missing.
  it.runIf(existsSync('/proc/self'))('is refused where the system knows no such folder', async () => {
    for (const path of ['/proc/none', '/proc/none/logs/of/firn'])
      await expect(make(path)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' })
  })
})

it('is as private as it is asked to be, and so are those above it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-make-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await makeFolder(join(folder, 'a/b'), 0o700)
  for (const path of ['a', 'a/b']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700)
})
