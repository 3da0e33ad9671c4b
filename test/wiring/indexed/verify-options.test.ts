import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

it('npm run verify tells wrong settings of the server from an index that differs', () => {
  const flags = ['--samples', '1', '--', '--http-prot', '1', '--log-level', 'loud']
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'src/verify.ts', ...flags], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  expect(stderr.split('\n').map((line) => line.split(':')[0])).toEqual(['--http-prot', 'log.level', ''])
  expect(status).toBe(2)
})
