import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { artefacts } from './artefacts.ts'

for (const { path, content } of artefacts) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, await content())
  console.log(path)
}
