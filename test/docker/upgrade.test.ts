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
