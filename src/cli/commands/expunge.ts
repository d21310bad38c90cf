import { SessError } from '../../model/errors.ts'
import { expunge } from '../../ops/secrets/expunge.ts'
import { loadSecretList } from '../../sources/secretrules.ts'
import { counted, did } from '../../text/text.ts'
import { arrayOf, described, integer, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, option, repeated, revision, several, text } from '../parameters.ts'
import { secretFrom } from '../stdin.ts'

/** `sess expunge`: removes content from the store permanently. */
export const command = defineCommand({
  effect: 'destructive',
  arguments: { entry: several(revision('entry'), 'entries whose whole body is removed') },
  options: {
    secret: repeated(
      text('digits'),
      "a secret, by the 8 digits that 'sess scan' prints; - reads it from standard input",
    ),
    why: option(text('reason'), 'the reason to record in the placeholder'),
    force: flag('remove it even if remaining digests allow guessing it'),
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
  output: output(
    'One object.',
    object({
      entries: described('whose content was removed', arrayOf(oidSchema)),
      records: integer,
      secrets: described('by the 8 digits that scan prints', arrayOf(string)),
      left: described('copies that other processes still read', arrayOf(string)),
      aside: described('quarantined files of fsck --repair that were removed', arrayOf(string)),
    }),
  ),
  run: async (call, { entry: entries, secret, why = '', force }) => {
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
    const done = await expunge(await call.repo(), {
      entries,
      secrets: given === '' ? [] : [given],
      marks: secret.filter((digits) => digits !== '-'),
      find: await loadSecretList(),
      why,
      force,
    })
    const { secrets, records, aside, left } = done
    const of = `${counted(done.entries.length, 'entry')} and ${counted(records, 'record')}`
    return {
      data: done,
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
    }
  },
})
