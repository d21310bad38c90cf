import type { ComponentChildren, VNode } from 'preact'

/** Longer code is shown without colours. */
const MAX_COLORED_CHARS = 60_000

/** The kinds of words that have a colour, by the class that gives it. */
type Kind = 'kw' | 'st' | 'cm' | 'fn' | 'nu' | 'de' | 'in'

/** How words of a language are told apart: each alternative of the pattern is of a kind, in this order. */
interface Grammar {
  readonly pattern: RegExp
  readonly kinds: readonly Kind[]
}

const words = (text: string): string => `\\b(?:${text.trim().split(/\s+/).join('|')})\\b`

const DOUBLE = '"(?:\\\\.|[^"\\\\\\n])*"?'
const SINGLE = "'(?:\\\\.|[^'\\\\\\n])*'?"
const TEMPLATE = '`(?:\\\\[^]|[^`\\\\])*`?'
const NUMBER = '\\b(?:0x[\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\b'
const CALL = '\\b[A-Za-z_]\\w*(?=\\()'

const grammar = (...parts: readonly (readonly [Kind, string])[]): Grammar => ({
  pattern: new RegExp(parts.map(([, source]) => `(${source})`).join('|'), 'gm'),
  kinds: parts.map(([kind]) => kind),
})

const JS = grammar(
  ['cm', '//.*|/\\*[^]*?(?:\\*/|$(?![^]))'],
  ['st', `${DOUBLE}|${SINGLE}|${TEMPLATE}`],
  [
    'kw',
    words(`as async await break case catch class const continue debugger default delete do else enum export extends false
      finally for from function get if implements import in instanceof interface let new null of package private
      protected public readonly return satisfies set static super switch this throw true try type typeof undefined
      var void while yield`),
  ],
  ['nu', NUMBER],
  ['fn', CALL],
)

const C = grammar(
  ['cm', '//.*|/\\*[^]*?(?:\\*/|$(?![^]))'],
  ['st', `${DOUBLE}|'(?:\\\\.|[^'\\\\\\n])'|${TEMPLATE}`],
  [
    'kw',
    words(`abstract as auto bool break case chan char class const constexpr continue crate default defer delete do
      double dyn else enum extern false final float fn for fallthrough func go goto if impl import in inline int
      interface let long loop map match mod move mut namespace new nil null nullptr override package private
      protected pub public range ref return select self short signed sizeof static string struct super switch
      template this throw trait true try type typedef union unsafe unsigned use using var virtual void volatile
      where while`),
  ],
  ['nu', NUMBER],
  ['fn', CALL],
)

const PYTHON = grammar(
  ['st', `"""[^]*?(?:"""|$(?![^]))|'''[^]*?(?:'''|$(?![^]))|${DOUBLE}|${SINGLE}`],
  ['cm', '#.*'],
  [
    'kw',
    words(`and as assert async await begin break case class continue def del do elif else end ensure except False
      finally for from global if import in is lambda match module None nil nonlocal not or pass raise require
      rescue return self then True try unless until when while with yield`),
  ],
  ['nu', NUMBER],
  ['fn', CALL],
)

const SHELL = grammar(
  ['cm', '(?<![^\\s])#.*'],
  ['st', `"(?:\\\\[^]|[^"\\\\])*"?|'[^']*'?`],
  ['kw', words('case do done elif else esac export fi for function if in local return set then until while')],
  ['nu', '\\$(?:\\w+|\\{[^}\\n]*\\}|[@*#?$!-])'],
  ['fn', '(?<![^\\s;|&(])--?[A-Za-z][\\w-]*'],
)

const JSON_LIKE = grammar(
  ['fn', '"(?:\\\\.|[^"\\\\\\n])*"(?=\\s*:)|^[ \\t]*(?:- )?[\\w.-]+(?=:(?: |$)| ?=)'],
  ['st', `${DOUBLE}|${SINGLE}`],
  ['cm', '(?<![^\\s])#.*|//.*'],
  ['kw', words('true false null yes no')],
  ['nu', NUMBER],
)

const MARKUP = grammar(
  ['cm', '<!--[^]*?(?:-->|$(?![^]))'],
  ['kw', '</?[A-Za-z][\\w:-]*|/?>'],
  ['st', `${DOUBLE}|${SINGLE}`],
  ['fn', '\\b[A-Za-z-]+(?==)'],
)

const STYLE_SHEET = grammar(
  ['cm', '/\\*[^]*?(?:\\*/|$(?![^]))'],
  ['st', `${DOUBLE}|${SINGLE}`],
  ['kw', '@[\\w-]+|![a-z]+'],
  ['fn', '--[\\w-]+|\\b[\\w-]+(?=\\s*:\\s)'],
  ['nu', '#[\\da-fA-F]{3,8}\\b|\\b\\d+(?:\\.\\d+)?(?:[a-z]+|%)?'],
)

const DIFF = grammar(
  ['fn', '^(?:@@.*|diff .*|index .*|--- .*|\\+\\+\\+ .*|\\*\\*\\* .*)$'],
  ['in', '^\\+.*$'],
  ['de', '^-.*$'],
)

/** The names under which people know languages. */
const NAMES: readonly (readonly [Grammar, string])[] = [
  [JS, 'js jsx mjs cjs javascript ts tsx mts cts typescript vue svelte'],
  [C, 'c h cc cpp c++ cxx hpp cs csharp java kt kotlin go golang rs rust swift scala zig php dart proto'],
  [PYTHON, 'py python python3 rb ruby lua pl r jl ex exs elixir'],
  [SHELL, 'sh bash zsh fish shell console terminal dockerfile makefile make'],
  [JSON_LIKE, 'json jsonc jsonl json5 yaml yml toml ini conf env properties'],
  [MARKUP, 'html htm xml svg'],
  [STYLE_SHEET, 'css scss less'],
  [DIFF, 'diff patch'],
]

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  NAMES.flatMap(([found, names]) => names.split(' ').map((name) => [name, found] as const)),
)

/** Returns the language of a file by the end of its name. */
export const languageOf = (path: string): string => /([A-Za-z0-9+]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''

/** Returns code with its words in colours. */
export function colored(text: string, language: string): ComponentChildren {
  const found = GRAMMARS.get(language.toLowerCase())
  if (!found || text.length > MAX_COLORED_CHARS) return text
  const pieces: ComponentChildren[] = []
  let end = 0
  for (const match of text.matchAll(found.pattern)) {
    const [word] = match
    if (word === '') continue
    if (match.index > end) pieces.push(text.slice(end, match.index))
    const kind = found.kinds[match.slice(1).findIndex((group) => group !== undefined)]
    pieces.push(<span class={kind}>{word}</span>)
    end = match.index + word.length
  }
  if (end === 0) return text
  pieces.push(text.slice(end))
  return pieces
}

/** A block of code in one colour: a file has no room for more. */
export const PlainCode = ({ text }: { readonly text: string }): VNode => <pre class="code">{text}</pre>

/** A block of code. */
export const Code = ({ text, language }: { readonly text: string; readonly language: string }): VNode => (
  <pre class="code" tabIndex={0}>
    <code>{colored(text, language)}</code>
  </pre>
)
