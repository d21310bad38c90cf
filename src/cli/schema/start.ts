import { LOSSES } from '../../formats/losses.ts'
import { EXIT } from '../../model/errors.ts'
import { about, count, type Described, either, list, nullable, object, text, truth, word } from './build.ts'
import { oid } from './parts.ts'

const warning = object({
  code: text,
  line: about('0: the whole file', count),
  offset: about('of its first byte', count),
  message: text,
})

const COUNTS = { records: count, entries: count, newEntries: count, newObjects: count, bytes: count }

const IMPORTED = {
  path: text,
  format: text,
  session: text,
  ...COUNTS,
  contained: about('an earlier state of a session that the store has', truth),
  salvaged: about('records recovered from damaged lines', count),
  warnings: list(warning),
}

const CONTINUED = {
  exported: about('where it goes on what was exported: the id that the session has there', text),
}

const place = object({ found: object({ agent: text, folder: text, files: count, bytes: count }) })

/** The outcome for an entry whose parent was missing. */
export const graft = object({
  session: text,
  root: oid,
  native: about('the id of the parent', text),
  outcome: word('joined', 'missing', 'ambiguous', 'shared', 'circle'),
  parent: about('the entry that it goes on with now', nullable(oid)),
  holder: about('a session that has that', nullable(text)),
})

const READ_AS = { format: text, reading: count }

const reread = object({
  reread: object({
    session: text,
    before: object(READ_AS),
    now: object(READ_AS),
    records: count,
    entries: count,
    map: about(
      'of each entry that changed what it was and what stands for it now, which may be nothing',
      list(list(nullable(oid))),
    ),
    warnings: list(warning),
  }),
})

const kept = about('with --reread and a name', object({ kept: object({ session: text, ...READ_AS }) }))

const totals = object({ totals: object({ files: count, sessions: count, ...COUNTS }) })

/** The output of commands that create and fill a store. */
export const start: Readonly<Record<string, Described>> = {
  init: about('One object.', object({ store: text, id: text, created: truth })),
  import: about(
    'Without paths first a line for each place. A line for each file and each entry that lacks its parent, then one with totals. A path that could not be ' +
      'read is an error on stderr. With --reread a line for each session that was read again.',
    either(place, object(IMPORTED, CONTINUED), object({ graft }), reread, kept, totals),
  ),
  watch: about(
    'A line for each file that has something new.',
    object({ time: text, ...IMPORTED }, CONTINUED),
  ),
  migrate: about(
    'With --out or --in-place one object. Without, what is printed is the file itself, whatever --json says; what became ' +
      'of it is the last line of stderr, without the last three fields.',
    object({
      way: about('what it was, what it became on the way, what it is now', list(text)),
      records: count,
      salvaged: about('records recovered from damaged lines', count),
      skipped: about('lines that hold no record', list(count)),
      edits: about('edits of what the model sees that do nothing in it', count),
      path: text,
      bytes: count,
      backup: about('with --in-place: where the file is as it was', nullable(text)),
    }),
  ),
  export: about(
    'With --out one object. Without, what is printed is the session itself, whatever --json says; what it does not ' +
      'carry is the last line of stderr, {"losses":[…]}.',
    object(
      {
        session: text,
        path: text,
        bytes: count,
        replaced: about('the size of the file that was replaced', nullable(count)),
        losses: list(
          object({
            code: word(...Object.keys(LOSSES)),
            message: text,
            count,
            entries: about('the entries that it was lost from', list(text)),
            subjects: about('the names that were lost', list(text)),
          }),
        ),
      },
      {
        files: about('how many files were written into the folder', count),
        renamed: about(
          'the files whose names are not allowed there, and what they are called instead',
          list(object({ name: text, as: text })),
        ),
        id: about('with --to-agent: the id that the session has there', text),
        format: text,
        cwd: about('the folder in which the agent is to be started', text),
        command: about('what resumes it there, as a list of arguments', list(text)),
        take: about('what is to be run before, where the agent takes sessions from files', list(text)),
        opens: about('what is to be done where the agent has no command: then that is empty', text),
      },
    ),
  ),
}

const candidate = object({
  kind: word('session', 'entry'),
  id: text,
  agent: nullable(text),
  time: nullable(text),
  text: nullable(text),
})

/** An error, the last line of stderr. */
export const error: Described = about(
  'The last line of stderr where a command fails; also one for each path that import could not take.',
  object({
    error: object(
      {
        code: about('never changes', text),
        kind: word(...Object.keys(EXIT)),
        message: text,
        hint: text,
        retryable: truth,
      },
      {
        candidates: list(candidate),
        at: about(
          'where in an expression or a template, in UTF-16 units',
          object({ text, from: count, to: count }),
        ),
      },
    ),
  }),
)
