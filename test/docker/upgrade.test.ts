import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

it('the commands of an upgrade end the indexers, and no others, and start them again', () => {
  const words = read('docs/operations.md')
  const [, name] = /^kubectl scale statefulset (\S+) --replicas=0/m.exec(words) ?? []
  const [, key = '', value] = /^kubectl wait --for=delete pod -l (\S+)=(\S+) /m.exec(words) ?? []
  const [, service = ''] = /docker compose -f docker\/compose.yaml stop (\S+)$/m.exec(words) ?? []
  expect(parse(read('docker/compose.yaml'), { merge: true }).services[service].environment.FIRN_MODE).toBe('indexer')
  const documents = parseAllDocuments(read('docker/kubernetes/firn.yaml')).map((one) => one.toJS())
  const ended = documents.filter(({ metadata }) => metadata.name === name && name !== undefined)
  const waited = documents.filter(({ spec }) => spec?.template?.metadata.labels[key] === value)
  const indexers = documents.filter(({ kind }) => kind === 'StatefulSet')
  expect(ended.filter(({ kind }) => kind !== 'Service')).toEqual(indexers)
  expect(waited).toEqual(indexers)
  expect(indexers[0]?.spec.replicas).toBeGreaterThan(0)
})

it('a rolling restart begins a process anew that has not changed, takes no new version along, and never two at once', () => {
  const [, command = ''] =
    /\*\*Rolling restart\*\*: `docker compose -f docker\/compose.yaml ([^`]+)`/.exec(read('docs/deployment.md')) ?? []
  expect(command).toBe('up -d --no-deps --no-build --force-recreate api-1')
  const [, upgrade = ''] = /```sh\n(kubectl scale .*?)```/s.exec(read('docs/operations.md')) ?? []
  const ups = [...upgrade.matchAll(/\bup (-d.*)$/gm)].map(([, rest = '']) => rest)
  expect(ups.map((rest) => rest.split(' ').at(-1))).toEqual(['indexer'])
})

it('the commands that keep and bring back the database of the composition name what it has', () => {
  const services = parse(read('docker/compose.yaml'), { merge: true }).services
  const words = read('docs/operations.md')
  const commands = [...words.matchAll(/^docker compose -f docker\/compose.yaml exec -T (\S+) (\w+) -U (\S+) .*$/gm)]
  expect(commands.map(([, , program]) => program)).toEqual(['pg_dump', 'dropdb', 'createdb', 'pg_restore', 'vacuumdb'])
  for (const [line, service = '', , user] of commands) {
    const { POSTGRES_USER, POSTGRES_DB } = services[service].environment
    expect(user).toBe(POSTGRES_USER)
    expect(line).toMatch(new RegExp(`\\b${POSTGRES_DB}( [<>] firn.dump)?$`))
  }
  const [, ended = ''] = /^docker compose -f docker\/compose.yaml stop (.+ .+)$/m.exec(words) ?? []
  const ours = Object.keys(services).filter((name) => services[name].environment?.FIRN_MODE !== undefined)
  expect(ended.split(' ').sort()).toEqual(ours.sort())
})
