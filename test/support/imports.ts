import { parseSync, Visitor } from 'oxc-parser'

/** Where a file names another module: static, dynamic, type, re-export, or a builtin asked of the process. */
export interface Import {
  readonly line: number
  /** The module that it names; null where that is computed. */
  readonly specifier: string | null
}

type VisitorObject = ConstructorParameters<typeof Visitor>[0]
type Call = Parameters<NonNullable<VisitorObject['CallExpression']>>[0]

/** Functions that load a module by its name. */
const LOADERS = new Set(['require', 'createRequire', 'getBuiltinModule'])

const calleeName = ({ callee }: Call): string | undefined => {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression') return undefined
  const { property } = callee
  if (property.type === 'Identifier' && !callee.computed) return property.name
  return property.type === 'Literal' ? String(property.value) : undefined
}

/** Returns every import of a TypeScript file, in order. Throws where the text is no TypeScript. */
export function importsOf(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text)
  const error = errors[0]
  if (error) throw new Error(`${path}: ${error.message}`)

  const found: { at: number; specifier: string | null }[] = []
  const add = (node: { readonly start: number }, source: object | null | undefined): void => {
    const value = source && 'value' in source ? source.value : null
    found.push({ at: node.start, specifier: typeof value === 'string' ? value : null })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source),
    ExportAllDeclaration: (node) => add(node, node.source),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node, node.source)
    },
    ImportExpression: (node) => add(node, node.source),
    TSImportType: (node) => add(node, node.source),
    TSExternalModuleReference: (node) => add(node, node.expression),
    CallExpression: (node) => {
      if (LOADERS.has(calleeName(node) ?? '')) add(node, node.arguments[0])
    },
  }).visit(program)

  return found
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, specifier }) => ({ line: text.slice(0, at).split('\n').length, specifier }))
}
