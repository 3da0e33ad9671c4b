import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { ServedAsset } from './send-asset.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** Next to this file in the source and in the build, which copies the folder. */
const FOLDER = new URL('./browser/', import.meta.url)

/** All files of `browser` that are served, read once; the ETag is the content's hash. */
export function readAssets(): ServedAsset[] {
  return readdirSync(FOLDER).flatMap((name) => {
    const contentType = TYPES[extname(name)]
    if (contentType === undefined) return []
    const body = readFileSync(new URL(name, FOLDER))
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
    return [{ name, contentType, body, etag }]
  })
}
