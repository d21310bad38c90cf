import { diffContexts } from '../../ops/context/compare.ts'
import { diff, diffStat } from '../../ops/diff.ts'
import { contextDiffData, contextDiffLines, diffLines, statLines } from '../../text/diff.ts'
import { anyOf, arrayOf, boolean, described, integer, mapOf, nullable, object } from '../../verbs/schema.ts'
import { contextMessageSchema, entryData, entrySchema, MODEL_SETTINGS, oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, optional, required, revision } from '../parameters.ts'

const amountSchema = object({ count: integer, chars: integer, tokens: described('estimated', integer) })
const changeSchema = object({ removed: amountSchema, added: amountSchema })

const contextSchema = object({ messages: integer, tokens: described('estimated', integer) }, MODEL_SETTINGS)

/** `sess diff`: shows where two branches diverge and what each side added. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    a: required(revision(), 'a session or an entry, or a range: A..B, A...B'),
    b: optional(revision(), 'another'),
  },
  options: {
    stat: flag('count the entries of each side, by role and by tool', { excludes: ['context'] }),
    context: flag('compare the contexts of both', { needs: 'b' }),
    wordDiff: flag('compare by words, also in long texts'),
  },
  help: `A...B shows what B added since its merge base with A. Sessions without a common entry are compared by content.
Tool calls and results are shown side by side on terminals of 100 columns or more.`,
  examples: [
    ['sess diff 3b1f c7d0', 'a session and its fork'],
    ['sess diff 3b1f...c7d0', 'what the fork added since the merge base'],
    ['sess diff 3b1f/main 3b1f/at-1d9fca05 --stat', 'how much two branches of a session differ'],
    ['sess diff --context 019d4e07~2 019d4e07', 'the context before and after a compaction'],
  ],
  output: output(
    'One object; with --stat or --context another.',
    anyOf(
      object({
        base: nullable(oidSchema),
        left: arrayOf(entrySchema),
        right: arrayOf(entrySchema),
        pairs: described(
          'both sides in order, entries that correspond together',
          arrayOf(object({ left: nullable(oidSchema), right: nullable(oidSchema), same: boolean })),
        ),
      }),
      object({
        base: nullable(oidSchema),
        same: described('entries that both sides have since they parted', integer),
        entries: changeSchema,
        messages: changeSchema,
        roles: object(
          {},
          { user: changeSchema, assistant: changeSchema, tool: changeSchema, system: changeSchema },
        ),
        tools: described('calls by tool, with their results', mapOf(changeSchema)),
      }),
      object({
        before: contextSchema,
        after: contextSchema,
        prefix: described('how many messages both begin with', integer),
        left: arrayOf(contextMessageSchema),
        came: arrayOf(contextMessageSchema),
        changed: described(
          'messages with another text',
          arrayOf(object({ before: contextMessageSchema, after: contextMessageSchema })),
        ),
        kept: integer,
      }),
    ),
  ),
  run: async (call, { a, b, stat, context, wordDiff }) => {
    const { columns } = call.io
    const repo = await call.repo()
    const names = namesOf(a, b)
    if (stat) {
      const counts = await diffStat(repo, a, b)
      return { data: counts, render: () => statLines(counts, names) }
    }
    if (context && b !== undefined) {
      const found = await diffContexts(repo, a, b)
      return {
        data: contextDiffData(found),
        render: () => contextDiffLines(found, { a, b, columns }),
      }
    }
    const found = await diff(repo, a, b)
    const { base, left, right, pairs } = found
    return {
      data: {
        base,
        left: left.map(entryData),
        right: right.map(entryData),
        pairs: pairs.map((pair) => ({
          left: pair.left?.oid ?? null,
          right: pair.right?.oid ?? null,
          same: pair.same,
        })),
      },
      render: () => diffLines(found, { ...names, columns, words: wordDiff }),
    }
  },
})

/** Returns the names of both sides as they were typed: those of a range are its ends. */
function namesOf(a: string, b: string | undefined): { readonly a: string; readonly b: string } {
  if (b !== undefined) return { a, b }
  const [, left = a, dots, right = a] = /^(.+?)(\.{2,3})(.+)$/.exec(a) ?? []
  return { a: dots === '...' ? 'the merge base' : left, b: right }
}
