import { fileURLToPath } from 'node:url'

/** Folder of the recordings. */
export const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url))
