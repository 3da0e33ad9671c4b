import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConfig } from '../../src/config/index.ts'
import { writtenFolders } from '../../src/wiring/store.ts'

it('the disk of an embedded database is watched where it has a folder of its own', () => {
  const folders = (store: object) => writtenFolders(createConfig({ dataDir: 'data', store }))
  expect(folders({})).toEqual(['data'])
  expect(folders({ dataDir: join('other', 'disk') })).toEqual(['data', join('other', 'disk')])
  expect(folders({ dataDir: 'unused', databaseUrl: 'postgres://db/firn' })).toEqual(['data'])
})
