import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AdminError } from '../../../src/services/node-admin/index.ts'
import { writeProfileFile } from '../../../src/services/node-admin/profile-file.ts'

it('a profile that cannot be written is refused in the words of the system', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-profile-'))
  const file = join(folder, 'file')
  await writeFile(file, '')
  const path = join(file, 'cpu.profile')
  const written = writeProfileFile(path, '{}')
  await expect(written).rejects.toThrow(AdminError)
  await expect(written).rejects.toThrow(/^mkdir .*cpu\.profile: (file already exists|not a directory)$/)
  expect(await readdir(folder)).toEqual(['file'])
})

it('a profile that cannot take its place leaves no draft behind: a disk would fill with them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-profile-'))
  await mkdir(join(folder, 'cpu.profile'))
  await expect(writeProfileFile(join(folder, 'cpu.profile'), '{}')).rejects.toThrow(AdminError)
  expect(await readdir(folder)).toEqual(['cpu.profile'])
})
