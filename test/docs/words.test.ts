import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

const paths = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.tsx?$/.test(path),
)

const modules = paths.map((path) => {
  const { program, comments } = parseSync(path, readFileSync(`${root}src/${path}`, 'utf8'))
  const declared: string[] = []
  const texts: string[] = []
  new Visitor({
    FunctionDeclaration: ({ id }) => void (id && declared.push(id.name)),
    VariableDeclarator: ({ id }) => void (id.type === 'Identifier' && declared.push(id.name)),
    Literal: ({ value }) => void (typeof value === 'string' && texts.push(value)),
    TemplateElement: ({ value }) => void texts.push(value.cooked ?? value.raw),
  }).visit(program)
  return { path, declared, texts, comments: comments.map(({ value }) => value) }
})

/** Names that users type or read: a setting, and fields of entries and of outputs. */
const PUBLIC = new Set(['agentId', 'cacheWrite', 'lockTimeout'])

/** Formats list names of fields in texts, and facades repeat the words of other systems. */
const isProse = ({ path }: { readonly path: string }): boolean => !/^(?:formats|compat)\//.test(path)

it('shows users no name of a function or a variable in help, hints and errors', () => {
  const names = new Set(modules.flatMap(({ declared }) => declared))
  expect(names).toContain('didYouMean')
  const shown = modules.filter(isProse).flatMap(({ path, texts }) =>
    texts
      .filter((text) => /\s\S+\s/.test(text))
      .flatMap((text) => text.match(/(?<![\w"`./$-])[a-z]+[A-Z]\w*\b/g) ?? [])
      .filter((word) => names.has(word) && !PUBLIC.has(word))
      .map((word) => `${path}: ${word}`),
  )
  expect(shown).toEqual([])
})

it('names only files that exist in comments', () => {
  const isFile = (name: string): boolean =>
    existsSync(root + name) || paths.some((path) => `/${path}`.endsWith(`/${name}`))
  const unknown = modules.flatMap(({ path, comments }) =>
    comments
      .flatMap((comment) => comment.match(/\b(?:[\w./-]+\.(?:ts|mjs)|docs\/[\w./-]+\.md)\b/g) ?? [])
      .filter((name) => !isFile(name))
      .map((name) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
})

it('begins no comment with a word that hides what is returned or stated', () => {
  const wrong = modules.flatMap(({ path, comments }) =>
    comments
      .filter((comment) => /^[*\s]*(?:What|Who|Whoever|Gives|The same)\b/.test(comment))
      .map((comment) => `${path}: ${comment.trim()}`),
  )
  expect(wrong).toEqual([])
})
