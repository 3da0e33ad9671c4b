import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export interface Pattern {
  /** `src/lib/mask.ts:12` */
  place: string
  regex: RegExp
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name))

function fromLiteral(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1).replace('y', ''))
}

/** The text of `new RegExp('…')` and of `pattern: '…'` in a schema; what is put together at run time has none. */
function fromText(node: ts.Node): RegExp | undefined {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern' && ts.isStringLiteralLike(node.initializer))
    return new RegExp(node.initializer.text.replace('(?i:', '(?:'), 'u')
  if (!(ts.isNewExpression(node) || ts.isCallExpression(node)) || node.expression.getText() !== 'RegExp')
    return undefined
  const [first] = node.arguments ?? []
  return first && ts.isStringLiteralLike(first) ? new RegExp(first.text) : undefined
}

/** Every regular expression that the code of a folder writes down. */
export function patternsIn(folder: string): Pattern[] {
  return filesIn(folder).flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    const found: Pattern[] = []
    const visit = (node: ts.Node): void => {
      const regex = ts.isRegularExpressionLiteral(node) ? fromLiteral(node.text) : fromText(node)
      if (regex) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart())
        found.push({ place: `${file}:${line + 1}`, regex })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  })
}

/** Characters that matter to a pattern: those it names, one of each class, and those that end a match. */
export function lettersOf({ source }: RegExp): string[] {
  const named = [...source.replace(/\\[a-zA-Z]\{?[^}]*\}?|[\\^$.*+?()[\]{}|]/g, ' ')].filter((letter) => letter !== ' ')
  const parts = source.split(/[^A-Za-z]+/).filter((word) => word.length > 1 && word.length < 12)
  return [
    ...new Set([
      ...named.slice(0, 12),
      ...parts,
      ' ',
      '\t',
      'a',
      'A',
      '0',
      '-',
      '_',
      '.',
      '/',
      '\\',
      '"',
      '<',
      ':',
      '%',
      'é',
    ]),
  ]
}
