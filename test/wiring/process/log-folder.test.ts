import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createConfig } from '../../../src/config/index.ts'
import { checkLogFolder } from '../../../src/wiring/process/loggers.ts'

it('a log folder that takes no files is told of at the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-log-folder-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const check = (dir: string | undefined) => checkLogFolder(createConfig({ log: dir === undefined ? {} : { dir } }))
  await writeFile(join(folder, 'file'), '')
  await expect(check(join(folder, 'file/logs'))).rejects.toThrow(
    `log.dir: given "${folder}/file/logs", which cannot be written to (ENOTDIR); allowed: a folder of this user`,
  )
  if (existsSync('/proc/self')) await expect(check('/proc/none/logs')).rejects.toThrow('cannot be written to (ENOENT)')
  await check(join(folder, 'new/logs'))
  await check(undefined)
})
