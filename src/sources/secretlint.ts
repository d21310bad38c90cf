import type { FindSecrets, Secret } from '../model/secret.ts'

/** A rule of the list, as far as it is used. */
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

/** Rules that look at files on the disk or at comments, not at texts. */
const OTHERS = /-(?:gcp|filter-comments)$/

/** What no secret holds that is told so: an address takes what stands behind its closing quote along. */
const ENDS = /["'`<>]/

const PREFIX = '@secretlint/secretlint-rule-'

/**
 * Loads secretlint's recommended rules: shapes of keys and tokens that hardly anything else has. Neither guesses by
 * names such as `password` nor by how random a text looks.
 */
export async function loadSecretList(): Promise<FindSecrets> {
  const list: unknown = await import('@secretlint/secretlint-rule-preset-recommend')
  const { rules } = list as { readonly rules: readonly Rule[] }
  const finders = rules.filter(({ meta }) => !OTHERS.test(meta.id)).map(finderOf)
  return (text) => apart(finders.flatMap((find) => find(text)))
}

function finderOf(rule: Rule): FindSecrets {
  const name = rule.meta.id.replace(PREFIX, '')
  let found: Secret[] = []
  let content = ''
  const { file } = rule.create(
    {
      createTranslator: () => (_, data) => data,
      report: ({ message, range: [from, to] }) => {
        // Some rules give the place of what stands around a secret; all of them tell the secret itself.
        const told = Object.values(message).find((text) => text !== '' && content.includes(text, from))
        const secret = (told ?? content.slice(from, to)).split(ENDS, 1)[0] as string
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

/** Gives stretches in their order, of those that overlap the one that begins first. */
function apart(found: readonly Secret[]): Secret[] {
  const kept: Secret[] = []
  for (const secret of [...found].sort((a, b) => a.start - b.start || b.end - a.end))
    if (secret.start >= (kept.at(-1)?.end ?? 0)) kept.push(secret)
  return kept
}
