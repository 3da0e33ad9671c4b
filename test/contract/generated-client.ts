import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { tsImport } from 'tsx/esm/api'
import ts from 'typescript'

export interface GeneratedClient<Sdk> {
  /** The generated `sdk.gen.ts`, loaded as it is; the caller says what it expects, `typeErrors` checks the real types. */
  sdk: Sdk
  /** What the compiler says about a program that uses the generated types; `./client/sdk.gen.ts` is the import to use. */
  typeErrors(program: string): string[]
  remove(): void
}

/** The client that wallets generate from our document, made from the document at `url` and used unmodified. */
export async function generateClient<Sdk>(url: string): Promise<GeneratedClient<Sdk>> {
  // Generating blocks this process for so long that a kept connection may be closed by the server, unnoticed.
  const document = await fetch(url, { headers: { connection: 'close' } })
  return generateClientOf((await document.json()) as Record<string, unknown>)
}

export async function generateClientOf<Sdk>(input: Record<string, unknown>): Promise<GeneratedClient<Sdk>> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-client-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    await createClient({ input, output: join(folder, 'client'), logs: { level: 'silent' } })
    return {
      sdk: (await tsImport(join(folder, 'client/sdk.gen.ts'), import.meta.url)) as Sdk,
      typeErrors: (program) => typeErrors(folder, program),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function typeErrors(folder: string, program: string): string[] {
  const file = join(folder, 'program.ts')
  writeFileSync(file, program)
  const compiled = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  })
  return ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
