import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What stands above must be made first. */
const lacksParent = (path: string, error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path

/** Others may have made it meanwhile. */
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Makes a folder and those above it. Node's own `mkdir` with `recursive` never returns where the system says ENOENT though
 * the folder above is there, as it does below /proc.
 * @throws the system's error: ENOENT where nothing can be made, ENOTDIR or EEXIST where a file is in the way, EACCES …
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const make = (): Promise<unknown> =>
    mkdir(path, { mode }).then(
      () => undefined,
      (error: unknown) => error,
    )
  let error = await make()
  if (error !== undefined && lacksParent(path, error)) {
    await makeFolder(dirname(path), mode)
    error = await make()
  }
  if (error !== undefined && !(await isFolder(path))) throw error
}

/** The same for what cannot wait. */
export function makeFolderNow(path: string): void {
  const make = (): unknown => {
    try {
      mkdirSync(path)
      return undefined
    } catch (error) {
      return error
    }
  }
  let error = make()
  if (error !== undefined && lacksParent(path, error)) {
    makeFolderNow(dirname(path))
    error = make()
  }
  if (error !== undefined && !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
}
