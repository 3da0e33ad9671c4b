import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  version?: string
  optionalDependencies?: Record<string, string>
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }

/** The place where Node finds a package that another one names: its own node_modules, then those above. */
function placeOf(from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = `${base ? `${base}/` : ''}node_modules/${name}`
    if (packages[place]) return place
    if (!base.includes('/node_modules/')) return packages[`node_modules/${name}`] && `node_modules/${name}`
  }
}

describe('the lock file', () => {
  /*
   * npm forgets the binaries of other platforms when it writes the file beside an existing node_modules, and then
   * refuses `npm ci` there, or everywhere.
   */
  it('names the optional packages of every platform', () => {
    const forgotten = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !placeOf(from, name)),
    )
    expect(forgotten).toEqual([])
  })

  it('gives every package a version', () => {
    const open = Object.entries(packages).filter(([, { version }]) => !version)
    expect(open.map(([place]) => place)).toEqual([])
  })
})
