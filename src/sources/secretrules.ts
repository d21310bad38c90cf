import type { FindSecrets, Secret } from '../model/secrets/secret.ts'

/** A secretlint rule, as far as it is used. */
interface Rule {
  readonly meta: { readonly id: string }
  create(
    context: RuleContext,
    options: Record<string, never>,
  ): { readonly file: (source: RuleSource) => void }
}

interface RuleSource {
  readonly content: string
  readonly contentType: 'text'
  readonly filePath: undefined
  readonly ext: undefined
}

interface RuleContext {
  createTranslator(): (message: string, data: Readonly<Record<string, string>>) => MessageData
  report(found: { readonly message: MessageData; readonly range: readonly [number, number] }): void
}

type MessageData = Readonly<Record<string, string>>

/** Rules that examine files or comments instead of text, and the one that `findPrivateKeys` replaces. */
const UNUSED_RULES = /-(?:gcp|filter-comments|privatekey)$/

/** Characters that end a secret: matches of URLs include the text after the closing quote. */
const ENDS = /["'`<>]/

const PREFIX = '@secretlint/secretlint-rule-'

/**
 * Loads secretlint's recommended rules: patterns of keys and tokens with few false positives. They use neither names such
 * as `password` nor the entropy of a text.
 */
export async function loadSecretList(): Promise<FindSecrets> {
  const list: unknown = await import('@secretlint/secretlint-rule-preset-recommend')
  const { rules } = list as { readonly rules: readonly Rule[] }
  const finders = [...rules.filter(({ meta }) => !UNUSED_RULES.test(meta.id)).map(finderOf), findPrivateKeys]
  return (text) => withoutOverlaps(finders.flatMap((find) => find(text)))
}

function finderOf(rule: Rule): FindSecrets {
  const name = rule.meta.id.replace(PREFIX, '')
  let found: Secret[] = []
  let content = ''
  const { file } = rule.create(
    {
      createTranslator: () => (_, data) => data,
      report: ({ message, range: [from, to] }) => {
        // The range of some rules includes text around the secret; the data of the message holds the secret itself.
        const match = Object.values(message).find((text) => text !== '' && content.includes(text, from))
        const secret = (match ?? content.slice(from, to)).split(ENDS, 1)[0] as string
        const start = content.indexOf(secret, from)
        if (secret !== '') found.push({ rule: name, start, end: start + secret.length })
      },
    },
    {},
  )
  return (text) => {
    found = []
    content = text
    file({ content, contentType: 'text', filePath: undefined, ext: undefined })
    content = ''
    return found
  }
}

const KEY_BEGIN = /-----BEGIN (?:[A-Z\d]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_HEADERS = /(?:[\s\\nr]{1,8}(?:Proc-Type|DEK-Info|Comment|Version): [^\n\\]{1,200})*/y
const KEY_BODY = /[\s\\nr]{0,8}[A-Za-z\d+/=]{40}[A-Za-z\d+/=\s\\]{0,20000}/y
const KEY_END = /-----END (?:[A-Z\d]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y

/** A key has more different characters than a line of an example. */
const DIFFERENT = 10

/**
 * Finds private keys in PEM, their line breaks as they are or escaped. Unlike secretlint's rule it finds those of Ed25519,
 * which are a single line, and keys that were cut before their end.
 */
const findPrivateKeys: FindSecrets = (text) => {
  const found: Secret[] = []
  if (!text.includes('PRIVATE KEY')) return found
  for (const { index: start, 0: begin } of text.matchAll(KEY_BEGIN)) {
    const headers = endOf(KEY_HEADERS, text, start + begin.length) ?? start + begin.length
    const body = endOf(KEY_BODY, text, headers)
    if (body === undefined || new Set(text.slice(headers, body)).size < DIFFERENT) continue
    let cut = body
    while (/[\s\\]/.test(text.charAt(cut - 1))) cut--
    found.push({ rule: 'privatekey', start, end: endOf(KEY_END, text, body) ?? cut })
  }
  return found
}

/** Returns the end of what a sticky expression matches at an offset. */
function endOf(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : undefined
}

/** Returns matches in order. Of overlapping ones only the first is kept. */
function withoutOverlaps(found: readonly Secret[]): Secret[] {
  const kept: Secret[] = []
  for (const secret of [...found].sort((a, b) => a.start - b.start || b.end - a.end))
    if (secret.start >= (kept.at(-1)?.end ?? 0)) kept.push(secret)
  return kept
}
