import { asString, field, type JsonObject, without } from '../../model/json.ts'
import type { Format } from '../format.ts'
import { uuidOf } from '../ids.ts'
import { lines } from '../lines.ts'
import type { Spelling } from '../pi/form.ts'
import { TranslatedReader, type Translator } from '../pi/translated.ts'
import { dashed, fileName, headerOf, linesOf } from '../pi/write.ts'
import { DRAFT, draftDialect, draftForm, draftView, UNRESUMED } from './dialect.ts'

const NAME = 'uuid-tree'

/** The draft of a tree by `uuid` and `parentUuid`, of which the header is the root. */
export const uuidTree: Format = {
  name: NAME,
  dialect: DRAFT,
  reading: 1,
  conversational: true,
  detect: ({ lines: [first] }) =>
    field(first, 'type') === 'session' && typeof field(first, 'uuid') === 'string',
  splitter: lines,
  reader: () => new TranslatedReader(draftDialect(), new Named()),
  view: draftView,
  writer: {
    branched: true,
    unresumed: UNRESUMED,
    place: ({ id, cwd, created }) => ['sessions', dashed(cwd), fileName(id, created)],
    lines: (draft) => linesOf(draft, FORM),
  },
}

/** Says in pi's words what a uuid tree says; what hangs on the header is a root. */
class Named implements Translator {
  #root: string | undefined

  translate(value: JsonObject): JsonObject {
    const { uuid, parentUuid, firstKeptEntryUuid } = value
    if (value.type === 'session') {
      this.#root ??= asString(uuid)
      return value
    }
    return {
      ...value,
      ...(uuid !== undefined && { id: uuid }),
      ...(parentUuid !== undefined && { parentId: parentUuid === this.#root ? null : parentUuid }),
      ...(firstKeptEntryUuid !== undefined && { firstKeptEntryId: firstKeptEntryUuid }),
    }
  }
}

const FORM = draftForm({ begin: uuids })

/** Spells ids as the draft does, the header's among them. */
function uuids(): Spelling {
  let root = ''
  return {
    header: (draft) => {
      const header = headerOf(draft)
      root = asString(header.uuid) ?? uuidOf(NAME, draft.id)
      return [{ ...without(header, 'parent'), version: 2, uuid: root, parentUuid: null }]
    },
    record({ type, id, parentId, timestamp, ...said }) {
      const { firstKeptEntryId, fromId: _, ...fields } = said
      const made = {
        type: type ?? null,
        uuid: id ?? null,
        parentUuid: parentId ?? root,
        timestamp: timestamp ?? null,
        ...fields,
        ...(firstKeptEntryId !== undefined && { firstKeptEntryUuid: firstKeptEntryId }),
      }
      return [made]
    },
  }
}
