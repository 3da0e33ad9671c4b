import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (folder: string, extension: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n')

it('errors have the same names in the build as in the sources: logs tell them by the names of their classes', () => {
  const classes = [...read('src', '.ts').matchAll(/^\s*(?:export )?class (\w+) extends \w*Error\b/gm)].map(
    ([, name]) => name,
  )
  expect(classes.length).toBeGreaterThan(20)
  const built = [...read('dist', '.js').matchAll(/\b(?:var (\w+) = class|class (\w+)) extends /g)].map(
    ([, variable, name]) => variable ?? name ?? '',
  )
  expect(built).toEqual(expect.arrayContaining(['ConfigError', 'StoreUnavailableError']))
  // What a bundler does to a name that is taken.
  const original = (name: string): string => name.replace(/^_|\d+$/g, '')
  expect(built.filter((name) => original(name) !== name && classes.includes(original(name)))).toEqual([])
})

it('what a build that was killed was writing goes with the next one, not what another one is writing', async () => {
  const killed = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(killed, 'exit')
  const files = [killed.pid, process.pid].map((pid) => join(root, 'dist', `main.js.${pid}`))
  onTestFinished(() => files.forEach((file) => void rmSync(file, { force: true })))
  for (const file of files) writeFileSync(file, 'half')
  await once(spawn(process.execPath, ['build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  expect(files.map((file) => existsSync(file))).toEqual([false, true])
})

it('the files of a build are there while it is made anew: processes may be started from them at that moment', async () => {
  const missing = new Set<string>()
  const build = spawn(process.execPath, ['build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(build, 'exit')
  const watch = setInterval(() => {
    for (const file of ['main.js', 'store/connection/embedded/worker.js', 'api/page/browser/page.html'])
      if (!existsSync(join(root, 'dist', file))) missing.add(file)
  }, 1)
  const [status] = await ended
  clearInterval(watch)
  expect([status, [...missing]]).toEqual([0, []])
})
