import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { createAsset, type ServedAsset } from '../plugins/send-asset.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** Next to this file in the source and in the build, which copies the folder. */
const FOLDER = new URL('./browser/', import.meta.url)

/** All files of `browser` that are served, read once, by their name without folder. */
export function readAssets(): [name: string, asset: ServedAsset][] {
  return readdirSync(FOLDER).flatMap((name) => {
    const contentType = TYPES[extname(name)]
    if (contentType === undefined) return []
    return [[name, createAsset(contentType, readFileSync(new URL(name, FOLDER)))]]
  })
}
