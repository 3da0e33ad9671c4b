import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SERVER_ENVIRONMENT } from '../support/programs/firn-process.ts'
import { isAlive } from '../support/programs/processes.ts'

const root = join(import.meta.dirname, '../..')
const { scripts, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
  bin: Record<string, string>
}
const lines = Object.entries(scripts)

it.each(lines.filter(([, line]) => /^vitest run ./.test(line)))(
  'npm run %s finds its tests, each place some',
  (_name, line) => {
    const places = line.split(' ').slice(2)
    // A place is any part of a file's path: what one finds, all of them together find.
    const listed = spawnSync('node_modules/.bin/vitest', ['list', '--filesOnly', ...places], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(listed.status).toBe(0)
    for (const place of places) expect(listed.stdout).toContain(place)
  },
)

it.each(lines.flatMap(([name, line]) => [...line.matchAll(/\S+\/\S+\.m?ts/g)].map(([file]) => [name, file] as const)))(
  'npm run %s: %s is there',
  (_name, file) => expect(existsSync(join(root, file))).toBe(true),
)

it.each(Object.entries(bin))(
  'the command %s, as npm link makes it, is run by Node and not by the shell',
  (_name, file) => {
    const source = file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')
    expect(readFileSync(join(root, source), 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
  },
)

it.each(Object.entries(SERVER_ENVIRONMENT))(
  'benchmarks measure a server as npm start and the image run it: %s=%s',
  (name, value) => {
    expect(scripts['start']).toMatch(
      new RegExp(`&& (\\w+=\\w+ )*${name}=${value} (\\w+=\\w+ )*exec node dist/main.js$`),
    )
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(
      new RegExp(`^ENV (.*\\\\\n)*.*${name}=${value}\\b`, 'm'),
    )
  },
)

it('whoever ends npm ends the server: no process is left behind that holds port and database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { build: 'true', start: scripts['start'] } }),
  )
  writeFileSync(join(folder, 'dist/main.js'), 'console.log("pid", process.pid, ""); setInterval(() => {}, 1_000)')
  const npm = spawn('npm', ['start', '--silent'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  npm.stdout.on('data', (text: Buffer) => {
    said += text
  })
  await expect.poll(() => said).toMatch(/^pid \d+ /)
  const pid = Number(said.split(' ')[1])
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  const ended = once(npm, 'exit')
  npm.kill('SIGTERM')
  await ended
  await expect.poll(() => isAlive(pid)).toBe(false)
})
