// Writes the bill of materials of what is shipped, CycloneDX 1.5 in JSON: exact versions, checksums and licences of
// everything that is not a development dependency. Same lock file, same bytes.
// `node docker/sbom.mjs > sbom.cdx.json`; with `--installed` it lists what lies in node_modules now.
import { existsSync, readFileSync } from 'node:fs'

const installed = process.argv.includes('--installed')
const lock = JSON.parse(readFileSync(installed ? 'node_modules/.package-lock.json' : 'package-lock.json', 'utf8'))
const root = JSON.parse(readFileSync('package.json', 'utf8'))

const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
const nameOf = (path, entry) => entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** `sha512-<base64>` of the lock file in the form of the standard. */
function hashesOf(integrity) {
  const [algorithm, digest] = (integrity ?? '').split(' ', 1)[0].split(/-(.*)/s)
  if (!digest) return {}
  const alg = algorithm.toUpperCase().replace(/^SHA(\d+)$/, (_, bits) => (bits === '1' ? 'SHA-1' : `SHA-${bits}`))
  return { hashes: [{ alg, content: Buffer.from(digest, 'base64').toString('hex') }] }
}

/** A single SPDX id or an expression; the standard tells them apart. */
function licencesOf(license) {
  if (typeof license !== 'string') return {}
  return { licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }] }
}

const components = new Map()
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link) continue
  // `devOptional` is also an optional part of something that is shipped.
  if (installed ? !existsSync(path) : entry.dev) continue
  const name = nameOf(path, entry)
  const purl = purlOf(name, entry.version)
  components.set(purl, {
    type: 'library',
    'bom-ref': purl,
    name,
    version: entry.version,
    ...(entry.optional ? { scope: 'optional' } : {}),
    ...licencesOf(entry.license),
    ...hashesOf(entry.integrity),
    purl,
  })
}

const application = purlOf(root.name, root.version)
const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': application,
      name: root.name,
      version: root.version,
      ...licencesOf(root.license),
      purl: application,
    },
  },
  components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
}
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`)
