import type { FindSecrets, Secret } from '../model/secret.ts'

/** A secretlint rule, as far as it is used. */
interface Rule {
  readonly meta: { readonly id: string }
  create(context: Context, options: Record<string, never>): { readonly file: (source: Source) => void }
}

interface Source {
  readonly content: string
  readonly contentType: 'text'
  readonly filePath: undefined
  readonly ext: undefined
}

interface Context {
  createTranslator(): (message: string, data: Readonly<Record<string, string>>) => MessageData
  report(found: { readonly message: MessageData; readonly range: readonly [number, number] }): void
}

type MessageData = Readonly<Record<string, string>>

/** Rules that examine files or comments instead of text. */
const UNUSED_RULES = /-(?:gcp|filter-comments)$/

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
  const finders = rules.filter(({ meta }) => !UNUSED_RULES.test(meta.id)).map(finderOf)
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

/** Returns matches in order. Of overlapping ones only the first is kept. */
function withoutOverlaps(found: readonly Secret[]): Secret[] {
  const kept: Secret[] = []
  for (const secret of [...found].sort((a, b) => a.start - b.start || b.end - a.end))
    if (secret.start >= (kept.at(-1)?.end ?? 0)) kept.push(secret)
  return kept
}
