import { asString, field, type JsonObject, jsonText, without } from '../../model/json.ts'
import type { Draft, Lines, Writer } from '../write.ts'
import { infoOf, messagesOf } from './talk.ts'
import { writer as document } from './write.ts'

/** Writes a path as the files in which OpenCode kept a session before 2026, as one stream. */
export const files: Writer = {
  ...document,
  place: (draft) => ['opencode', 'storage', ...pathOf(draft).split('/')],
  several: 'bundle',
  below: 3,
  lines,
}

/** What OpenCode calls the project of a folder without a history of git. */
const GLOBAL = 'global'

const pathOf = ({ id, header }: Pick<Draft, 'id'> & Partial<Pick<Draft, 'header'>>): string =>
  `session/${projectOf(header)}/${id}.json`

/** The project that a file or a row of its source says, where that is a plain name. */
function projectOf(header: Draft['header']): string {
  const said = asString(field(header, 'projectID') ?? field(field(header, 'row'), 'project_id'))
  return said !== undefined && /^[\w-]+$/.test(said) ? said : GLOBAL
}

async function* lines(draft: Draft): Lines {
  const info = { ...infoOf(draft), projectID: projectOf(draft.header) }
  yield { text: fileOf(pathOf(draft), without(info, 'slug')) }
  for await (const made of messagesOf(draft, { ordered: true })) {
    if ('code' in made) yield made
    else {
      const { info: message, parts, entry } = made
      const id = idOf(message)
      const said = parts.map((part) => fileOf(`part/${id}/${idOf(part)}.json`, part))
      yield { text: fileOf(`message/${draft.id}/${id}.json`, message) + said.join(''), entry }
    }
  }
}

const idOf = ({ id }: JsonObject): string => asString(id) ?? ''

const utf8 = new TextEncoder()

/** Gives a file as it stands among others in one stream. */
function fileOf(file: string, value: JsonObject): string {
  const text = jsonText(value)
  return `${jsonText({ file, bytes: utf8.encode(text).length })}\n${text}`
}
