// Prints the structure of src as one table of figures: sizes, imports, cycles, repeated type names, what storage leaks.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SMALL = 30

/** Returns the paths of the files below a folder that have an ending, relative to that folder. */
const filesIn = (folder, ending) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith(ending))
    .toSorted()

const isTypeOnly = ({ importKind, exportKind, specifiers }) =>
  importKind === 'type' ||
  exportKind === 'type' ||
  (specifiers?.length > 0 && specifiers.every((each) => (each.importKind ?? each.exportKind) === 'type'))

/** Reads one module: its lines, imports of src, declared types, uses of `Row` and the members of `Backend`. */
function readModule(path) {
  const text = readFileSync(`${root}src/${path}`, 'utf8')
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  const module = {
    path,
    lines: text.split('\n').length - 1,
    imports: [],
    types: new Set(),
    rows: 0,
    backend: 0,
  }
  const add = (source, node = {}, isType = isTypeOnly(node)) => {
    const specifier = source?.value
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) return
    const target = posix.join(posix.dirname(path), specifier)
    module.imports.push({ target, isType, isExport: node.type?.startsWith('Export') ?? false })
  }
  const declare = ({ id }) => id && module.types.add(id.name)
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node),
    ExportNamedDeclaration: (node) => add(node.source, node),
    ExportAllDeclaration: (node) => add(node.source, node),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source, node, true),
    TSTypeAliasDeclaration: declare,
    ClassDeclaration: declare,
    TSInterfaceDeclaration: (node) => {
      declare(node)
      if (node.id.name === 'Backend') module.backend = node.body.body.length
    },
    Identifier: ({ name }) => {
      if (name === 'Row') module.rows++
    },
  }).visit(program)
  return module
}

/** Returns the strongly connected components of more than one module (Tarjan, without recursion). */
function cycles(modules, edgesOf) {
  const [index, low, onStack, stack, found] = [new Map(), new Map(), new Set(), [], []]
  const enter = (path) => {
    index.set(path, index.size)
    low.set(path, index.get(path))
    stack.push(path)
    onStack.add(path)
    return { path, edges: edgesOf(modules.get(path))[Symbol.iterator]() }
  }
  for (const start of modules.keys()) {
    const work = index.has(start) ? [] : [enter(start)]
    while (work.length > 0) {
      const { path, edges } = work.at(-1)
      const { done, value } = edges.next()
      if (!done) {
        if (!index.has(value)) work.push(enter(value))
        else if (onStack.has(value)) low.set(path, Math.min(low.get(path), index.get(value)))
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent) low.set(parent.path, Math.min(low.get(parent.path), low.get(path)))
      if (low.get(path) !== index.get(path)) continue
      const members = stack.splice(stack.indexOf(path))
      for (const member of members) onStack.delete(member)
      if (members.length > 1) found.push(members)
    }
  }
  return found
}

const modules = new Map(filesIn('src', '.ts').map((path) => [path, readModule(path)]))
const all = [...modules.values()]
for (const { imports } of all)
  for (const { target } of imports)
    if (target !== '../package.json' && !modules.has(target)) throw new Error(target)

const targets = ({ imports }, keep = () => true) =>
  [...new Set(imports.filter(keep).map(({ target }) => target)).values()].filter((target) =>
    modules.has(target),
  )
const folderOf = (path) => (path.includes('/') ? path.split('/')[0] : path)
const sum = (values) => values.reduce((total, value) => total + value, 0)
const isAbove = ({ path }) => !/^(?:storage|repo|model|graph|formats|sources)\//.test(path)

const folders = Map.groupBy ? Map.groupBy(all, ({ path }) => folderOf(path)) : new Map()
if (folders.size === 0)
  for (const module of all)
    folders.set(folderOf(module.path), [...(folders.get(folderOf(module.path)) ?? []), module])

const importers = new Map(all.map(({ path }) => [path, 0]))
for (const module of all)
  for (const target of targets(module)) importers.set(target, importers.get(target) + 1)

const declared = new Map()
for (const { types } of all) for (const name of types) declared.set(name, (declared.get(name) ?? 0) + 1)
const repeated = [...declared].filter(([, count]) => count > 1).toSorted((a, b) => b[1] - a[1])

const isStorage = (target) => target.startsWith('storage/')
const reexporting = all
  .filter(
    ({ path, imports }) =>
      path.startsWith('repo/') && imports.some((each) => each.isExport && isStorage(each.target)),
  )
  .map(({ path }) => path)
const above = all.filter(isAbove)
const fanOut = (list) => (sum(list.map((module) => targets(module).length)) / list.length).toFixed(2)
const cyclesText = (found) => `${found.length} (${sum(found.map(({ length }) => length))} modules)`
const words = existsSync(`${root}docs`)
  ? sum(
      filesIn('docs', '.md').map(
        (path) => readFileSync(`${root}docs/${path}`, 'utf8').split(/\s+/).filter(Boolean).length,
      ),
    )
  : 0
const rowsOf = (list) =>
  `${sum(list.map(({ rows }) => rows))} in ${list.filter(({ rows }) => rows > 0).length} files`

const table = [
  ...[...folders].map(([folder, list]) => [
    `src/${folder}`,
    `${sum(list.map(({ lines }) => lines))} lines, ${list.length} files, fan-out ${fanOut(list)}`,
  ]),
  ['src', `${sum(all.map(({ lines }) => lines))} lines, ${all.length} files, fan-out ${fanOut(all)}`],
  [
    'import cycles, without types',
    cyclesText(cycles(modules, (module) => targets(module, ({ isType }) => !isType))),
  ],
  ['import cycles, types included', cyclesText(cycles(modules, (module) => targets(module)))],
  [
    'type names declared more than once',
    `${repeated.length} (${repeated
      .slice(0, 5)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')})`,
  ],
  ['uses of Row outside storage', rowsOf(all.filter(({ path }) => !isStorage(path)))],
  ['uses of Row above repo', rowsOf(above)],
  [
    'modules above repo that import storage',
    above.filter((module) => targets(module).some(isStorage)).length,
  ],
  [
    'modules above repo that import a re-export of storage',
    above.filter((module) => targets(module).some((target) => reexporting.includes(target))).length,
  ],
  ['members of the interface Backend', modules.get('storage/backend.ts')?.backend ?? 0],
  [
    `files under ${SMALL} lines with one importer`,
    all.filter(({ path, lines }) => lines < SMALL && importers.get(path) === 1).length,
  ],
  ['words in docs', words],
]
const width = Math.max(...table.map(([name]) => name.length))
for (const [name, value] of table) console.log(`${name.padEnd(width)}  ${value}`)
