import { readFileSync } from 'node:fs'

/** Version of this program. Both `src/lib` and `dist/lib` are two folders below the package. */
export function packageVersion(): string {
  const manifest: { version?: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version ?? ''
}
