import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SERVER_ENVIRONMENT } from '../support/firn-process.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const lines = Object.entries(scripts)

it.each(lines.filter(([, line]) => /^vitest run ./.test(line)))(
  'npm run %s finds its tests, each place some',
  (_name, line) => {
    for (const place of line.split(' ').slice(2)) {
      const listed = spawnSync('node_modules/.bin/vitest', ['list', '--filesOnly', place], {
        cwd: root,
        encoding: 'utf8',
      })
      expect({ place, status: listed.status, output: listed.stdout }).toMatchObject({
        status: 0,
        output: expect.stringContaining(`${place}`),
      })
    }
  },
)

it.each(lines.flatMap(([name, line]) => [...line.matchAll(/\S+\/\S+\.m?ts/g)].map(([file]) => [name, file] as const)))(
  'npm run %s: %s is there',
  (_name, file) => expect(existsSync(join(root, file))).toBe(true),
)

it.each(Object.entries(SERVER_ENVIRONMENT))(
  'benchmarks measure a server as npm start and the image run it: %s=%s',
  (name, value) => {
    expect(scripts['start']).toMatch(new RegExp(`&& ${name}=${value} node dist/main.js$`))
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(
      new RegExp(`^ENV (.*\\\\\n)*.*${name}=${value}\\b`, 'm'),
    )
  },
)
