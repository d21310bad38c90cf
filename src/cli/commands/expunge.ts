import { SessError } from '../../model/errors.ts'
import { counted, did } from '../../text/text.ts'
import { expunge } from '../../verbs/expunge.ts'
import { defineCommand } from '../define.ts'
import { repeated, text } from '../parameters.ts'
import { answerOf, outputOf } from '../present.ts'
import { performed } from '../progress.ts'
import { secretFrom } from '../stdin.ts'

/** `sess expunge`: removes content from the store permanently. */
export const command = defineCommand({
  effect: expunge.effect,
  arguments: { entry: expunge.input.entry },
  options: {
    secret: repeated(
      text('digits'),
      "a secret, by the 8 digits that 'sess scan' prints; - reads it from standard input",
    ),
    why: expunge.input.why,
    force: expunge.input.force,
  },
  help: `The content is removed from entries, records, names, operations, indexes and the journal, and from the disk: the
database is rewritten. Oids do not change; a placeholder marks each place. Files that sessions were imported from are
not changed, and importing them again does not bring the content back. This cannot be undone: it asks on a terminal, and
a script needs --yes.`,
  examples: [
    ['sess expunge --secret 7f8dfb7e', 'a secret that sess scan found, everywhere'],
    ['sess expunge --yes --secret - < secret.txt', 'a secret that no rule knows'],
    ["sess expunge 65c1f191 --why 'pasted by mistake'", 'the body of an entry'],
  ],
  output: outputOf('One object.', expunge.output),
  run: async (call, { entry: entries, secret, ...how }) => {
    if (entries.length === 0 && secret.length === 0)
      throw new SessError('bad-usage', 'nothing to expunge was named', {
        hint: "name entries, or secrets with --secret: 'sess scan' finds them",
      })
    if (secret.includes('-')) await call.announceInput('type the secret')
    const given = secret.includes('-') ? await secretFrom(call.platform.stdin) : ''
    if (secret.includes('-') && given === '')
      throw new SessError('bad-usage', 'there is no secret on standard input', {
        hint: "type 'sess expunge --yes --secret - < FILE', FILE holding it and nothing else",
      })
    const context = await call.context()
    const input = {
      entry: entries,
      secret: given === '' ? [] : [given],
      mark: secret.filter((digits) => digits !== '-'),
      ...how,
    }
    const begin = { step: 'searching', done: { entries: 0 } }
    const done = await performed(call, begin, () => expunge.run(context, input))
    const { secrets, records, aside, left } = done
    const of = `${counted(done.entries.length, 'entry')} and ${counted(records, 'record')}`
    return answerOf(expunge, done, {
      render: () => [
        [
          secrets.length > 0
            ? `${did(call, 'Expunged')} ${counted(secrets.length, 'secret')} (${secrets.join(', ')}) from ${of}`
            : `${did(call, 'Expunged')} the content of ${of}`,
        ],
      ],
      notes: [
        'it cannot be undone; files that were imported or exported, and backups, still hold it',
        ...(aside.length > 0
          ? [`quarantined files ${call.dryRun ? 'would be' : 'were'} removed with it: ${aside.join(', ')}`]
          : []),
        ...(left.length > 0
          ? [`other processes still read copies that hold it, which go when they end: ${left.join(', ')}`]
          : []),
      ],
    })
  },
})
